import '../../src/ui/console.css';
import { MEMBER_ROLES } from '@floe/contract/roles';
import { QueryClientProvider } from '@tanstack/react-query';
import { createRootRoute, createRouter, RouterProvider } from '@tanstack/react-router';
import { type ReactNode, StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { formatQueryString, parseQueryString } from '../../src/app/query-string.ts';
import { PermissionContactsProvider } from '../../src/data/permission-contacts.tsx';
import { createQueryClient } from '../../src/data/query-client.ts';
import { type SignedInSession, SignedInSessionContext } from '../../src/data/session.ts';
import { ToastContainer } from '../../src/ui/toast.tsx';
import { TooltipProvider } from '../../src/ui/tooltip.tsx';
import * as controls from './controls.tsx';
import * as fields from './fields.tsx';
import * as lists from './lists.tsx';
import * as overlays from './overlays.tsx';

/** Mounts the specimen of `?show=`, with what the shell has around every component; `?role=` says who looks. */

const specimens = new Map<string, () => ReactNode>(
  Object.entries({ ...controls, ...fields, ...lists, ...overlays }),
);
const asked = new URLSearchParams(location.search);
const Specimen = specimens.get(asked.get('show') ?? '');
if (!Specimen) throw new Error(`There is no specimen "${asked.get('show')}".`);

const role = MEMBER_ROLES.find((one) => one === asked.get('role')) ?? 'owner';
const org = { id: 'acme', name: 'Acme', role };
const session: SignedInSession = {
  state: 'signed_in',
  user: { id: 'usr_1', email: 'mara@acme.example', name: 'Mara Koch' },
  member_id: 'mem_1',
  role,
  team: null,
  org,
  orgs: [org],
  operator: false,
  stepped_up_until: null,
  expires_at: '2030-01-01T00:00:00.000Z',
  methods: { password: true, passkey: true, oidc: [] },
};
const router = createRouter({
  routeTree: createRootRoute({ component: Specimen }),
  parseSearch: parseQueryString,
  stringifySearch: formatQueryString,
});
const place = document.getElementById('console');
if (!place) throw new Error('index.html has no element "console".');
createRoot(place).render(
  <StrictMode>
    <QueryClientProvider client={createQueryClient()}>
      <SignedInSessionContext value={session}>
        <PermissionContactsProvider>
          <TooltipProvider>
            <RouterProvider router={router} />
            <ToastContainer />
          </TooltipProvider>
        </PermissionContactsProvider>
      </SignedInSessionContext>
    </QueryClientProvider>
  </StrictMode>,
);
