import type { RequestRow } from '@floe/contract/api/analytics';
import { useQuery } from '@tanstack/react-query';
import { PageFrame } from '../../app/page-frame.tsx';
import { usePathParam, useUrlState } from '../../app/url-state.ts';
import { useResourceNavigate } from '../../app/use-org-navigate.ts';
import { getJson, type ResourceWithETag } from '../../data/api-client.ts';
import { modelLookupQuery } from '../../data/lookup-queries.ts';
import { useResourceCreation, useResourceEdit } from '../../data/resource-kind.ts';
import { NewResourceForm, ResourceForm, ResourceLoader } from '../../ui/resource-forms.tsx';
import { showToast } from '../../ui/toast.tsx';
import { TwoColumnLayout } from '../../ui/two-column-layout.tsx';
import { RouteFields } from './route-fields.tsx';
import { NEW_ROUTE_FORM, ROUTE_RESOURCE_KIND, type Route, toRouteBody } from './route-form.ts';
import { RouteSimulator } from './route-simulator.tsx';
import { findModelToSimulate } from './simulation-form.ts';
import { useWorstBreakersByModel } from './target-status.tsx';
import { routesText } from './text.ts';

const CRUMB = { label: routesText.page.title, to: '/management/routes' } as const;

/** Renders the page that creates a route, with a simulation of its effect. */
export function NewRoutePage() {
  const go = useResourceNavigate(CRUMB.to);
  const states = useWorstBreakersByModel();
  const fresh = useResourceCreation(ROUTE_RESOURCE_KIND, NEW_ROUTE_FORM, ({ id, model }) => {
    showToast(routesText.editor.created(model));
    go(id, 'replace');
  });
  const { form, set } = fresh;
  const sample = useModelToSimulate(form.model);
  const draft = form.targets.length === 0 ? undefined : toRouteBody(form);
  return (
    <PageFrame title={routesText.editor.newTitle} crumbs={[CRUMB]}>
      <TwoColumnLayout beside={<RouteSimulator draft={draft} model={sample} />}>
        <NewResourceForm kind={ROUTE_RESOURCE_KIND} fresh={fresh} onCancel={() => go()}>
          <RouteFields form={form} states={states} onChange={set} />
        </NewResourceForm>
      </TwoColumnLayout>
    </PageFrame>
  );
}

/** Renders the page that edits a route, with a simulation of its effect before saving. */
export function EditRoutePage() {
  const id = usePathParam('id');
  return (
    <PageFrame title={id} crumbs={[CRUMB]}>
      <ResourceLoader key={id} kind={ROUTE_RESOURCE_KIND} id={id}>
        {(loaded) => <Editor loaded={loaded} />}
      </ResourceLoader>
    </PageFrame>
  );
}

function Editor({ loaded }: { readonly loaded: ResourceWithETag<Route> }) {
  const route = loaded.body;
  const go = useResourceNavigate(CRUMB.to);
  const states = useWorstBreakersByModel();
  const edit = useResourceEdit(ROUTE_RESOURCE_KIND, loaded, ({ id, model }) => {
    showToast(routesText.editor.saved(model));
    if (id !== route.id) go(id, 'replace');
  });
  const start = useRequestBefore();
  const sample = useModelToSimulate(edit.form.model);
  return (
    <TwoColumnLayout
      beside={
        start !== undefined && (
          <RouteSimulator
            draft={edit.isChanged ? toRouteBody(edit.form) : undefined}
            replaces={route.id}
            model={sample}
            start={start}
          />
        )
      }
    >
      <ResourceForm kind={ROUTE_RESOURCE_KIND} resource={route} edit={edit} onGone={() => go()}>
        <RouteFields form={edit.form} states={states} onChange={edit.set} />
      </ResourceForm>
    </TwoColumnLayout>
  );
}

function useModelToSimulate(model: string): string {
  const { data } = useQuery(modelLookupQuery);
  return findModelToSimulate(model.trim(), data?.data ?? []);
}

/** Returns simulation values from the request in `?from=`. Undefined while the request is loading. */
function useRequestBefore() {
  const from = useUrlState().query.get('from');
  const { data, isPending } = useQuery({
    queryKey: ['request', from, 'simulate'],
    queryFn: ({ signal }) =>
      getJson<RequestRow>(`api/analytics/requests/${encodeURIComponent(from ?? '')}`, undefined, signal),
    enabled: from !== null,
  });
  if (from === null) return {};
  if (data)
    return {
      model: data.model_requested ?? '',
      endUser: data.end_user ?? '',
      tokens: String(data.usage.input_tokens ?? 100),
      stream: data.stream,
    };
  return isPending ? undefined : {};
}
