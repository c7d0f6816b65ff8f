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
const router = createConsoleRouter(client);
const place = document.getElementById('console');
if (!place) throw new Error('index.html has no element "console"');
const root = createRoot(place);
// Drawn once the page's code has come, which is asked for beside the session. Drawn before, the page would appear
// 300 ms after its placeholder at the earliest: so long React holds back what a Suspense reveals.
void router.load().finally(() =>
  root.render(
    <StrictMode>
      <QueryClientProvider client={client}>
        <TooltipProvider>
          <RouterProvider router={router} />
          <Toasts />
        </TooltipProvider>
      </QueryClientProvider>
    </StrictMode>,
  ),
);
