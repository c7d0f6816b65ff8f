import type { RequestRow } from '@floe/contract/api/analytics';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { PageFrame } from '../../app/page-frame.tsx';
import { useOrgId, usePathParam, useUrlState } from '../../app/url-state.ts';
import { get, getTagged, send, type Tagged } from '../../data/api-client.ts';
import { useChange } from '../../data/change.ts';
import { useEdit } from '../../data/edit.ts';
import { useRefusal } from '../../data/use-refusal.ts';
import { Button } from '../../ui/button.tsx';
import { DeleteButton } from '../../ui/delete-button.tsx';
import { EditForm } from '../../ui/edit-form.tsx';
import { ErrorState, Skeleton } from '../../ui/feedback.tsx';
import { Form } from '../../ui/form.tsx';
import { tell } from '../../ui/toast.tsx';
import { TwoColumns } from '../../ui/two-columns.tsx';
import { RouteFields } from './route-fields.tsx';
import { EMPTY_ROUTE, type Route, type RouteForm, routeBody, routeForm } from './route-form.ts';
import { Simulator } from './simulator.tsx';
import { useTargetStates } from './target-states.tsx';

const ROUTES = { label: 'Routes', to: '/management/routes' };
const ALL = 'api/management/routes';
const TOUCHES = [['routes'], ['models']];

/** A route that is not there yet, with what it would do. */
export function NewRoutePage() {
  const [form, setForm] = useState(EMPTY_ROUTE);
  const states = useTargetStates();
  const refusal = useRefusal('management');
  const leave = useLeave();
  const create = useChange(() => send<Route>('POST', ALL, routeBody(form)), {
    touches: TOUCHES,
    done: ({ id }) => {
      tell('Live for new requests now.');
      leave(id);
    },
  });
  return (
    <PageFrame title="New route" crumbs={[ROUTES]}>
      <TwoColumns
        beside={
          <Simulator
            draft={form.targets.length === 0 ? undefined : routeBody(form)}
            model={form.model.trim()}
          />
        }
      >
        <Form
          needs="management"
          onSubmit={() => create.run(undefined)}
          error={create.error}
          running={create.running}
          actions={
            <>
              <Button onClick={() => leave()}>Cancel</Button>
              <Button type="submit" look="primary" needs="management" busy={create.running}>
                Create route
              </Button>
            </>
          }
        >
          <RouteFields
            form={form}
            states={states}
            onChange={(fields) => setForm((before) => ({ ...before, ...fields }))}
            disabled={refusal !== null}
          />
        </Form>
      </TwoColumns>
    </PageFrame>
  );
}

/** Arrange targets, and know before saving what will happen. */
export function RoutePage() {
  const id = usePathParam('id');
  const path = `${ALL}/${encodeURIComponent(id)}`;
  const { data, error, refetch } = useQuery({
    queryKey: ['routes', 'one', id],
    queryFn: ({ signal }) => getTagged<Route>(path, signal),
  });
  return (
    <PageFrame title={id} crumbs={[ROUTES]}>
      {error && !data ? (
        <ErrorState what="Could not load this route." error={error} onRetry={() => void refetch()} />
      ) : data ? (
        <Editor key={id} path={path} read={data} />
      ) : (
        <Skeleton className="h-96" />
      )}
    </PageFrame>
  );
}

function Editor({ path, read }: { readonly path: string; readonly read: Tagged<Route> }) {
  const route = read.body;
  const leave = useLeave();
  const states = useTargetStates();
  const refusal = useRefusal('management');
  const edit = useEdit<Route, RouteForm>({
    path,
    read,
    formOf: routeForm,
    write: routeBody,
    touches: TOUCHES,
    done: ({ id }) => {
      tell('Live for new requests now. Running ones finish as they are.');
      if (id !== route.id) leave(id);
    },
  });
  const start = useRequestBefore();
  return (
    <TwoColumns
      beside={
        start !== undefined && (
          <Simulator
            draft={edit.isChanged ? routeBody(edit.form) : undefined}
            replaces={route.id}
            model={sampleModel(edit.form.model.trim(), route)}
            start={start}
          />
        )
      }
    >
      <EditForm
        edit={edit}
        source={route.source}
        verb="Save route"
        more={
          <DeleteButton
            path={path}
            title={`Delete route ${route.id}?`}
            verb="Delete route"
            typed={route.id}
            touches={TOUCHES}
            onDone={() => leave()}
          >
            {/[/*]/.test(route.model)
              ? 'Requests for it go straight to their provider.'
              : `Requests for ${route.model} answer 404: nothing else has this name.`}
          </DeleteButton>
        }
      >
        <RouteFields
          form={edit.form}
          states={states}
          onChange={edit.set}
          disabled={route.source.kind === 'file' || refusal !== null}
        />
      </EditForm>
    </TwoColumns>
  );
}

/** A pattern cannot be asked for: its first target can. */
function sampleModel(model: string, { targets }: Route): string {
  return model.includes('*') ? (targets[0]?.model ?? '') : model;
}

/** "Simulate again now": what the request of `?from=` asked for; undefined while it is on its way. */
function useRequestBefore() {
  const from = useUrlState().query.get('from');
  const { data, isPending } = useQuery({
    queryKey: ['request', from, 'simulate'],
    queryFn: ({ signal }) =>
      get<RequestRow>(`api/analytics/requests/${encodeURIComponent(from ?? '')}`, undefined, signal),
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

/** To a route, or to the list. */
function useLeave(): (id?: string) => void {
  const navigate = useNavigate();
  const org = useOrgId();
  return (id) =>
    void navigate({
      to: `/o/${org}/management/routes${id === undefined ? '' : `/${encodeURIComponent(id)}`}`,
      replace: id !== undefined,
    });
}
