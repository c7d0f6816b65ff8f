import type { RequestDetail } from '@floe/contract/api/analytics';
import type { routeResource } from '@floe/contract/api/routes';
import { Ellipsis, Link2, Play, Repeat2, Rows3, Terminal } from 'lucide-react';
import type * as z from 'zod';
import { useOrgId } from '../../app/url-state.ts';
import { useOrgNavigate } from '../../app/use-org-navigate.ts';
import { allPages, formatCurl } from '../../data/api-client.ts';
import { IconButton } from '../../ui/button.tsx';
import { copyWithToast } from '../../ui/copy-button.tsx';
import { Menu, MenuItem, MenuSeparator } from '../../ui/menu.tsx';

type Route = Pick<z.output<typeof routeResource>, 'id' | 'model'>;

/** What can be done from one request: ask it again, take it along, see others like it. */
export function RequestActions({ request }: { readonly request: RequestDetail }) {
  const { id, key_name, error_code, model_requested, attempts } = request;
  const org = useOrgId();
  const go = useOrgNavigate();
  /** On the page of the route that takes such a request now; without one, on that of all routes. */
  const simulate = async () => {
    const routes = await allPages<Route>('api/management/routes', {}).catch(() => []);
    const route = routes.find(({ model }) => model === model_requested);
    go(`/management/routes${route ? `/${encodeURIComponent(route.id)}` : ''}`, { search: { from: id } });
  };
  const page = () => new URL(`requests/${id}`, new URL(`o/${org}/`, document.baseURI)).href;
  return (
    <Menu trigger={<IconButton icon={Ellipsis} label="More about this request" />}>
      <MenuItem icon={Play} onSelect={() => go('/playground', { search: { from: id } })}>
        Open in the playground
      </MenuItem>
      {attempts.length > 0 && (
        <MenuItem icon={Repeat2} onSelect={() => void simulate()}>
          Simulate again now
        </MenuItem>
      )}
      <MenuSeparator />
      <MenuItem icon={Link2} onSelect={() => copyWithToast(page(), 'Link copied')}>
        Copy link
      </MenuItem>
      <MenuItem
        icon={Terminal}
        onSelect={() =>
          copyWithToast(formatCurl(`api/analytics/requests/${id}`, undefined), 'API call copied')
        }
      >
        Copy as API call
      </MenuItem>
      <MenuSeparator />
      <MenuItem icon={Rows3} onSelect={() => go('/requests', { search: { key: key_name } })}>
        All of key {key_name}
      </MenuItem>
      {model_requested && (
        <MenuItem icon={Rows3} onSelect={() => go('/requests', { search: { model: model_requested } })}>
          All of model {model_requested}
        </MenuItem>
      )}
      {error_code && (
        <MenuItem icon={Rows3} onSelect={() => go('/requests', { search: { error_code } })}>
          All with {error_code.replaceAll('_', ' ')}
        </MenuItem>
      )}
    </Menu>
  );
}
