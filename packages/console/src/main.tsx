import './ui/console.css';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { createConsoleRouter } from './app/router.tsx';
import { createQueryClient } from './data/query-client.ts';
import { sessionQuery } from './data/session.ts';
import { Toasts } from './ui/toast.tsx';
import { TooltipProvider } from './ui/tooltip.tsx';

const client = createQueryClient();
// Asked before the first component is drawn: everything else waits for it.
void client.prefetchQuery(sessionQuery);
const place = document.getElementById('console');
if (!place) throw new Error('index.html has no element "console"');
createRoot(place).render(
  <StrictMode>
    <QueryClientProvider client={client}>
      <TooltipProvider delayDuration={400}>
        <RouterProvider router={createConsoleRouter()} />
        <Toasts />
      </TooltipProvider>
    </QueryClientProvider>
  </StrictMode>,
);
