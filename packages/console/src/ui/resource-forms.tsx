import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { WithETag } from '../data/api-client.ts';
import type { ApiError } from '../data/api-error.ts';
import type { ResourceEdit } from '../data/patch-form.ts';
import {
  type ConsoleResourceKind,
  type ResourceCreation,
  resourcePath,
  resourceQuery,
} from '../data/resource-kind.ts';
import { useDenialReason } from '../data/use-denial-reason.ts';
import { Button } from './button.tsx';
import { DeleteButton } from './delete-button.tsx';
import { EditForm, FormFieldset } from './edit-form.tsx';
import { ErrorState, Skeleton } from './feedback.tsx';
import { Form } from './form.tsx';
import type { ResourceSource } from './source-badge.tsx';

/** A resource as its form wants it. */
export interface FormResource {
  readonly id: string;
  readonly source: ResourceSource;
}

/** The form over something that is not there yet. */
export function NewResourceForm<Resource extends FormResource, Values extends object>({
  kind: { one, needs },
  fresh: { create, isChanged },
  onCancel,
  more,
  trouble = null,
  children,
}: {
  readonly kind: ConsoleResourceKind<Resource, Values>;
  readonly fresh: ResourceCreation<Values>;
  readonly onCancel: () => void;
  /** Further buttons, before those of the form. */
  readonly more?: ReactNode;
  /** What one of those was refused: told as a refusal of the form is. */
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

/** The form over one that exists, with what removes it. */
export function ResourceForm<Resource extends FormResource, Values extends object>({
  kind,
  resource,
  edit,
  onGone,
  children,
}: {
  readonly kind: ConsoleResourceKind<Resource, Values>;
  readonly resource: Resource;
  readonly edit: ResourceEdit<Values>;
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
          path={resourcePath(kind, resource.id)}
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

/** One of a kind in every state it can be in: on its way, failed, there. */
export function LoadedResource<Resource extends FormResource, Values extends object>({
  kind,
  id,
  refetchMs = false,
  children,
}: {
  readonly kind: ConsoleResourceKind<Resource, Values>;
  readonly id: string;
  /** Where figures of it change while one looks. */
  readonly refetchMs?: number | false;
  readonly children: (read: WithETag<Resource>) => ReactNode;
}) {
  const { data, error, refetch } = useQuery({ ...resourceQuery(kind, id), refetchInterval: refetchMs });
  if (error && !data)
    return (
      <ErrorState what={`Could not load this ${kind.one}.`} error={error} onRetry={() => void refetch()} />
    );
  return data ? children(data) : <Skeleton className="h-64" />;
}
