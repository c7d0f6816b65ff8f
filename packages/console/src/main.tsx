import './ui/console.css';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { createConsoleRouter } from './app/router.tsx';
import { createQueryClient } from './data/query-client.ts';
import { sessionQuery } from './data/session.ts';
import { ToastContainer } from './ui/toast.tsx';
import { TooltipProvider } from './ui/tooltip.tsx';

const client = createQueryClient();
// The session is requested before the first render, because everything else waits for it.
void client.prefetchQuery(sessionQuery);
const router = createConsoleRouter(client);
const place = document.getElementById('console');
if (!place) throw new Error('index.html has no element with the id "console"');
const root = createRoot(place);
// Rendered after the page code has loaded, which is requested together with the session. Otherwise the page
// would appear at the earliest 300 ms after its placeholder, because React delays content that a Suspense
// boundary reveals.
void router.load().finally(() =>
  root.render(
    <StrictMode>
      <QueryClientProvider client={client}>
        <TooltipProvider>
          <RouterProvider router={router} />
          <ToastContainer />
        </TooltipProvider>
      </QueryClientProvider>
    </StrictMode>,
  ),
);
