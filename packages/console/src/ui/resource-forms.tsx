import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { ResourceWithETag } from '../data/api-client.ts';
import type { ApiError } from '../data/api-error.ts';
import {
  buildResourceApiPath,
  buildResourceQuery,
  type ConsoleResourceKind,
  type ResourceCreationState,
} from '../data/resource-kind.ts';
import { useDenialReason } from '../data/use-denial-reason.ts';
import type { ResourceEditState } from '../data/use-patch-form.ts';
import { Button } from './button.tsx';
import { DeleteButton } from './delete-button.tsx';
import { EditForm, FormFieldset } from './edit-form.tsx';
import { ErrorState, Skeleton } from './feedback.tsx';
import { Form } from './form.tsx';
import type { ResourceSource } from './source-badge.tsx';

/** The fields of a resource that its form needs. */
export interface EditableResource {
  readonly id: string;
  readonly source: ResourceSource;
}

/** Renders the form that creates a resource. */
export function NewResourceForm<Resource extends EditableResource, Values extends object>({
  kind: { one, needs },
  fresh: { create, isChanged },
  onCancel,
  more,
  trouble = null,
  children,
}: {
  readonly kind: ConsoleResourceKind<Resource, Values>;
  readonly fresh: ResourceCreationState<Values>;
  readonly onCancel: () => void;
  /** Additional buttons, shown before the form’s own buttons. */
  readonly more?: ReactNode;
  /** The error of an additional button’s action, shown like an error of the form. */
  readonly trouble?: ApiError | null;
  readonly children: ReactNode;
}) {
  const disabled = useDenialReason(needs) !== null;
  return (
    <Form
      needs={needs}
      unsaved={isChanged}
      onSubmit={() => create.run(undefined)}
      error={create.error ?? trouble}
      running={create.running}
      actions={
        <>
          {more}
          <Button onClick={onCancel}>Cancel</Button>
          <Button type="submit" look="primary" needs={needs} busy={create.running}>
            Create {one}
          </Button>
        </>
      }
    >
      <FormFieldset disabled={disabled}>{children}</FormFieldset>
    </Form>
  );
}

/** Renders the form that edits an existing resource, with a delete button. */
export function ResourceForm<Resource extends EditableResource, Values extends object>({
  kind,
  resource,
  edit,
  onGone,
  children,
}: {
  readonly kind: ConsoleResourceKind<Resource, Values>;
  readonly resource: Resource;
  readonly edit: ResourceEditState<Values>;
  readonly onGone: () => void;
  readonly children: ReactNode;
}) {
  const { title, effect, typed } = kind.removal(resource);
  return (
    <EditForm
      edit={edit}
      source={resource.source}
      verb={`Save ${kind.one}`}
      needs={kind.needs}
      more={
        <DeleteButton
          path={buildResourceApiPath(kind, resource.id)}
          title={title}
          verb={`Delete ${kind.one}`}
          needs={kind.needs}
          touches={kind.touches}
          onDone={onGone}
          typed={typed}
        >
          {effect}
        </DeleteButton>
      }
    >
      {children}
    </EditForm>
  );
}

/** Loads a resource and renders it. Until the resource has loaded, shows a placeholder or an error. */
export function ResourceLoader<Resource extends EditableResource, Values extends object>({
  kind,
  id,
  refetchMs = false,
  children,
}: {
  readonly kind: ConsoleResourceKind<Resource, Values>;
  readonly id: string;
  /** Interval in milliseconds at which the resource is refetched, for values that change. False for none. */
  readonly refetchMs?: number | false;
  readonly children: (loaded: ResourceWithETag<Resource>) => ReactNode;
}) {
  const { data, error, refetch } = useQuery({ ...buildResourceQuery(kind, id), refetchInterval: refetchMs });
  if (error && !data)
    return (
      <ErrorState what={`Could not load this ${kind.one}.`} error={error} onRetry={() => void refetch()} />
    );
  return data ? children(data) : <Skeleton className="h-64" />;
}
