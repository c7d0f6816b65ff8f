import type { Board } from '@floe/contract/api/boards';
import { ExternalLink } from 'lucide-react';
import type { ReactNode } from 'react';
import { PageFrame } from '../../app/page-frame.tsx';
import { usePathParam } from '../../app/url-state.ts';
import { useResourceNavigate } from '../../app/use-org-navigate.ts';
import type { ResourceWithETag } from '../../data/api-client.ts';
import { buildApiUrl } from '../../data/base-url.ts';
import { buildListQuery, useListRows } from '../../data/lists.ts';
import { useResourceCreation, useResourceEdit } from '../../data/resource-kind.ts';
import type { FormFieldsProps } from '../../data/use-patch-form.ts';
import { CodeBlock } from '../../ui/code-block.tsx';
import { Skeleton } from '../../ui/feedback.tsx';
import { Input } from '../../ui/field.tsx';
import { FormField } from '../../ui/form.tsx';
import { NewResourceForm, ResourceForm, ResourceLoader } from '../../ui/resource-forms.tsx';
import { TimeZoneCombobox } from '../../ui/time-zone-combobox.tsx';
import { showToast } from '../../ui/toast.tsx';
import { Switch } from '../../ui/toggles.tsx';
import { BOARD_RESOURCE_KIND, type BoardFormValues, createBoardFormValues } from './board-form.ts';
import { BoardGroupsEditor } from './board-groups-editor.tsx';
import { BoardPreview } from './board-preview.tsx';
import { boardsText } from './text.ts';

const CRUMB = { label: boardsText.page.title, to: '/boards' } as const;

/** Renders the page that creates a board. */
export function NewBoardPage() {
  const { rows, answer } = useListRows(buildListQuery<Board>('boards', BOARD_RESOURCE_KIND.path));
  return (
    <PageFrame title={boardsText.page.newTitle} crumbs={[CRUMB]}>
      {rows || answer.error ? <NewBoard boards={rows ?? []} /> : <Skeleton className="h-64" />}
    </PageFrame>
  );
}

function NewBoard({ boards }: { readonly boards: readonly Board[] }) {
  const go = useResourceNavigate(CRUMB.to, '/edit');
  const start = () => createBoardFormValues(boards);
  const fresh = useResourceCreation(BOARD_RESOURCE_KIND, start, ({ name, slug }) => {
    showToast(boardsText.form.created(name));
    go(slug, 'replace');
  });
  const { form, set } = fresh;
  return (
    <PreviewLayout form={form}>
      <NewResourceForm kind={BOARD_RESOURCE_KIND} fresh={fresh} onCancel={() => go()}>
        <BoardFields form={form} onChange={set} />
      </NewResourceForm>
    </PreviewLayout>
  );
}

/** Renders the page that edits a board, with the form on the left and a preview on the right. */
export function EditBoardPage() {
  const slug = usePathParam('slug');
  return (
    <PageFrame title={boardsText.page.editTitle(slug)} crumbs={[CRUMB]}>
      <ResourceLoader key={slug} kind={BOARD_RESOURCE_KIND} id={slug}>
        {(loaded) => <BoardEditor loaded={loaded} />}
      </ResourceLoader>
    </PageFrame>
  );
}

function BoardEditor({ loaded }: { readonly loaded: ResourceWithETag<Board> }) {
  const board = loaded.body;
  const go = useResourceNavigate(CRUMB.to, '/edit');
  const edit = useResourceEdit(BOARD_RESOURCE_KIND, loaded, ({ name, slug }) => {
    showToast(boardsText.form.saved(name));
    if (slug !== board.slug) go(slug, 'replace');
  });
  return (
    <div className="grid gap-4">
      <PreviewLayout form={edit.form}>
        <ResourceForm kind={BOARD_RESOURCE_KIND} resource={board} edit={edit} onGone={() => go()}>
          <BoardFields form={edit.form} onChange={edit.set} />
        </ResourceForm>
      </PreviewLayout>
      {board.public && <BoardSharing slug={board.slug} />}
    </div>
  );
}

function PreviewLayout({ form, children }: { readonly form: BoardFormValues; readonly children: ReactNode }) {
  return (
    <div className="grid items-start gap-6 xl:grid-cols-[26rem_minmax(0,1fr)]">
      {children}
      <BoardPreview form={form} />
    </div>
  );
}

function BoardFields({ form, onChange }: FormFieldsProps<BoardFormValues>) {
  return (
    <>
      <div className="grid items-start gap-4 md:grid-cols-2">
        <FormField name="name" label={boardsText.form.title} optional>
          <Input
            value={form.name}
            placeholder={form.slug}
            onChange={({ target }) => onChange({ name: target.value })}
          />
        </FormField>
        <FormField
          name="slug"
          label={boardsText.form.slug}
          hint={boardsText.form.slugHint[form.public ? 'public' : 'private'](form.slug)}
        >
          <Input
            value={form.slug}
            className="font-mono"
            onChange={({ target }) => onChange({ slug: target.value })}
          />
        </FormField>
      </div>
      <FormField name="timezone" label={boardsText.form.timezone} optional>
        <TimeZoneCombobox
          none={boardsText.form.orgTimezone}
          value={form.timezone}
          onChange={(timezone) => onChange({ timezone })}
        />
      </FormField>
      <Switch
        label={boardsText.form.public}
        hint={boardsText.form.publicHint}
        checked={form.public}
        onChange={(open) => onChange({ public: open })}
      />
      <BoardGroupsEditor groups={form.groups} onChange={(groups) => onChange({ groups })} />
    </>
  );
}

/** Shows the URL, the badge and the JSON URL of a public board. */
function BoardSharing({ slug }: { readonly slug: string }) {
  const url = buildApiUrl(`boards/${slug}`).href;
  return (
    <section className="grid max-w-3xl gap-2">
      <h2 className="flex items-center gap-3 text-body font-semibold">
        {boardsText.sharing.title}
        <a
          href={url}
          target="_blank"
          rel="noreferrer"
          className="inline-flex items-center gap-1 text-ui font-normal text-accent-ink underlined"
        >
          {boardsText.sharing.open} <ExternalLink size={12} aria-hidden="true" />
        </a>
      </h2>
      <CodeBlock
        snippets={[
          { label: boardsText.sharing.link, code: url },
          { label: boardsText.sharing.badge, code: `[![status](${url}/badge.svg)](${url})` },
          { label: boardsText.sharing.json, code: `curl -fsS ${url}.json` },
        ]}
      />
    </section>
  );
}
