import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { ResourceWithETag } from '../data/api-client.ts';
import {
  buildResourceQuery,
  type ConsoleResourceKind,
  useResourceCreation,
  useResourceEdit,
} from '../data/resource-kind.ts';
import { capitalize } from '../format/words.ts';
import { Drawer } from './drawer.tsx';
import { DrawerHeader } from './drawer-header.tsx';
import { type EditableResource, NewResourceForm, ResourceForm, ResourceLoader } from './resource-forms.tsx';
import { showToast } from './toast.tsx';

/** The texts, fields and initial values that a drawer uses for a kind of resource. */
export interface ResourceDrawerConfig<Resource, Values> {
  readonly titleOf: (resource: Resource) => string;
  readonly lineOf: (resource: Resource) => ReactNode;
  /** Renders the current state of the resource above the form. */
  readonly standing: (resource: Resource, form: Values) => ReactNode;
  readonly fields: (form: Values, set: (fields: Partial<Values>) => void) => ReactNode;
  /** Initial values of the form for a new resource. */
  readonly empty: Values;
  /** The message after the resource was created, such as `Budget ci now applies.` */
  readonly created: (resource: Resource) => string;
  /** The message after a change was saved, such as `Budget ci was saved.` */
  readonly saved: (resource: Resource) => string;
  readonly refetchMs?: number;
}

interface DrawerProps<Resource extends EditableResource, Values extends object> {
  readonly kind: ConsoleResourceKind<Resource, Values>;
  readonly parts: ResourceDrawerConfig<Resource, Values>;
  /** ID of the resource, or `new` for a new one. */
  readonly id: string;
  readonly onOpen: (id: string) => void;
  readonly onClose: () => void;
}

/** Renders a drawer next to a list. The drawer edits one resource or creates a new one. */
export function ResourceDrawer<Resource extends EditableResource, Values extends object>(
  props: DrawerProps<Resource, Values>,
) {
  const { kind, id, onClose } = props;
  const title = id === 'new' ? `Create ${kind.one}` : capitalize(kind.one);
  return (
    <Drawer title={title} about={id} onClose={onClose}>
      {id === 'new' ? (
        <>
          <DrawerHeader title={title} onClose={onClose} />
          <NewOne {...props} />
        </>
      ) : (
        <OneHere key={id} {...props} title={title} />
      )}
    </Drawer>
  );
}

function OneHere<Resource extends EditableResource, Values extends object>(
  props: DrawerProps<Resource, Values> & { readonly title: string },
) {
  const { kind, parts, id, onClose } = props;
  const { data } = useQuery(buildResourceQuery(kind, id));
  return (
    <>
      <DrawerHeader title={data ? parts.titleOf(data.body) : props.title} onClose={onClose}>
        {data && parts.lineOf(data.body)}
      </DrawerHeader>
      <div className="grid p-4 md:p-6">
        <ResourceLoader kind={kind} id={id} refetchMs={parts.refetchMs ?? false}>
          {(loaded) => <OldOne {...props} loaded={loaded} />}
        </ResourceLoader>
      </div>
    </>
  );
}

function NewOne<Resource extends EditableResource, Values extends object>({
  kind,
  parts: { empty, created, fields },
  onOpen,
  onClose,
}: DrawerProps<Resource, Values>) {
  const fresh = useResourceCreation(kind, empty, (resource) => {
    showToast(created(resource));
    onOpen(resource.id);
  });
  return (
    <div className="p-4 md:p-6">
      <NewResourceForm kind={kind} fresh={fresh} onCancel={onClose}>
        {fields(fresh.form, fresh.set)}
      </NewResourceForm>
    </div>
  );
}

function OldOne<Resource extends EditableResource, Values extends object>({
  kind,
  parts: { standing, saved, fields },
  loaded,
  onClose,
}: DrawerProps<Resource, Values> & { readonly loaded: ResourceWithETag<Resource> }) {
  const edit = useResourceEdit(kind, loaded, (resource) => showToast(saved(resource)));
  return (
    <div className="grid gap-5">
      {standing(loaded.body, edit.form)}
      <ResourceForm kind={kind} resource={loaded.body} edit={edit} onGone={onClose}>
        {fields(edit.form, edit.set)}
      </ResourceForm>
    </div>
  );
}
