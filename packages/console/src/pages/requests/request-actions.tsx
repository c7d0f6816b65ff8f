import type { RequestDetail } from '@floe/contract/api/analytics';
import type { routeResource } from '@floe/contract/api/routes';
import { Ellipsis, Link2, Play, Repeat2, Rows3, Terminal } from 'lucide-react';
import type * as z from 'zod';
import { useOrgId } from '../../app/url-state.ts';
import { useOrgNavigate } from '../../app/use-org-navigate.ts';
import { fetchAllRows } from '../../data/fetch-all-rows.ts';
import { formatCurl } from '../../data/format-curl.ts';
import { getCurrentTime } from '../../data/server-clock.ts';
import { IconButton } from '../../ui/button.tsx';
import { copyWithToast } from '../../ui/copy-button.tsx';
import { Menu, MenuItem, MenuSeparator } from '../../ui/menu.tsx';
import { requestDetailText } from './request-detail-text.ts';
import { buildSimilarRequestsSearch } from './similar-requests.ts';

type Route = Pick<z.output<typeof routeResource>, 'id' | 'model'>;

/** Renders the actions for a request: send it again in the playground, copy it, or list similar requests. */
export function RequestActions({ request }: { readonly request: RequestDetail }) {
  const { id, created_at, key_name, error_code, model_requested, attempts } = request;
  const org = useOrgId();
  const go = useOrgNavigate();
  const showSimilar = (field: string, value: string) =>
    go('/requests', { search: buildSimilarRequestsSearch(field, value, created_at, getCurrentTime()) });
  /** Opens the route for the requested model, or the list of routes if there is none. */
  const simulate = async () => {
    const routes = await fetchAllRows<Route>('api/management/routes', {}).catch(() => []);
    const route = routes.find(({ model }) => model === model_requested);
    go(`/management/routes${route ? `/${encodeURIComponent(route.id)}` : ''}`, { search: { from: id } });
  };
  const page = () => new URL(`requests/${id}`, new URL(`o/${org}/`, document.baseURI)).href;
  return (
    <Menu trigger={<IconButton icon={Ellipsis} label={requestDetailText.actions.label} />}>
      <MenuItem icon={Play} onSelect={() => go('/playground', { search: { from: id } })}>
        {requestDetailText.actions.openPlayground}
      </MenuItem>
      {attempts.length > 0 && (
        <MenuItem icon={Repeat2} onSelect={() => void simulate()}>
          {requestDetailText.actions.simulate}
        </MenuItem>
      )}
      <MenuSeparator />
      <MenuItem icon={Link2} onSelect={() => copyWithToast(page(), requestDetailText.actions.linkCopied)}>
        {requestDetailText.actions.copyLink}
      </MenuItem>
      <MenuItem
        icon={Terminal}
        onSelect={() =>
          copyWithToast(
            formatCurl(`api/analytics/requests/${id}`, undefined),
            requestDetailText.actions.apiCallCopied,
          )
        }
      >
        {requestDetailText.actions.copyApiCall}
      </MenuItem>
      <MenuSeparator />
      <MenuItem icon={Rows3} onSelect={() => showSimilar('key', key_name)}>
        {requestDetailText.actions.sameKey(key_name)}
      </MenuItem>
      {model_requested && (
        <MenuItem icon={Rows3} onSelect={() => showSimilar('model', model_requested)}>
          {requestDetailText.actions.sameModel(model_requested)}
        </MenuItem>
      )}
      {error_code && (
        <MenuItem icon={Rows3} onSelect={() => showSimilar('error_code', error_code)}>
          {requestDetailText.actions.sameError(error_code.replaceAll('_', ' '))}
        </MenuItem>
      )}
    </Menu>
  );
}
