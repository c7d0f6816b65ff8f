import type { route } from '@floe/contract/api/routes';
import { Ellipsis, Link2, Play, Repeat2, Rows3, Terminal } from 'lucide-react';
import type * as z from 'zod';
import { useOrgId } from '../../app/url-state.ts';
import { useGo } from '../../app/use-place.ts';
import { allPages, curlLine } from '../../data/api-client.ts';
import { IconButton } from '../../ui/button.tsx';
import { copyAndTell } from '../../ui/copy-button.tsx';
import { Menu, MenuItem, MenuLine } from '../../ui/menu.tsx';
import type { RequestDetail } from './request-data.ts';

type Route = Pick<z.output<typeof route>, 'id' | 'model'>;

/** What can be done from one request: ask it again, take it along, see others like it. */
export function RequestActions({ request }: { readonly request: RequestDetail }) {
  const { id, key_name, error_code, model_requested, attempts } = request;
  const org = useOrgId();
  const go = useGo();
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
      <MenuLine />
      <MenuItem icon={Link2} onSelect={() => copyAndTell(page(), 'Link copied')}>
        Copy link
      </MenuItem>
      <MenuItem
        icon={Terminal}
        onSelect={() => copyAndTell(curlLine(`api/analytics/requests/${id}`, undefined), 'API call copied')}
      >
        Copy as API call
      </MenuItem>
      <MenuLine />
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
