import type { Board } from '@floe/contract/api/boards';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { ExternalLink, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { PageFrame } from '../../app/page-frame.tsx';
import { useOrgId, usePathParam } from '../../app/url-state.ts';
import { getTagged, send } from '../../data/api-client.ts';
import { apiUrl } from '../../data/base.ts';
import { type Change, useChange } from '../../data/change.ts';
import { Button } from '../../ui/button.tsx';
import { CodeBlock } from '../../ui/code-block.tsx';
import { Combobox } from '../../ui/combobox.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { ErrorState, Notice, Skeleton } from '../../ui/feedback.tsx';
import { Input } from '../../ui/field.tsx';
import { Form, FormField } from '../../ui/form.tsx';
import { SourceNotice } from '../../ui/source-badge.tsx';
import { tell } from '../../ui/toast.tsx';
import { Switch } from '../../ui/toggles.tsx';
import { type BoardForm, boardBody, boardFormOf, NEW_BOARD } from './board-form.ts';
import { BoardGroups } from './board-groups.tsx';
import { BoardPreview } from './board-preview.tsx';

const BOARDS = { label: 'Boards', to: '/boards' };

function boardPath(slug: string): string {
  return `api/monitoring/boards/${encodeURIComponent(slug)}`;
}

const boardQuery = (slug: string) =>
  queryOptions({
    queryKey: ['boards', 'one', slug],
    queryFn: ({ signal }) => getTagged<Board>(boardPath(slug), signal),
    refetchOnWindowFocus: false,
  });

/** A board that is not there yet. */
export function NewBoardPage() {
  const [form, setForm] = useState(NEW_BOARD);
  const leave = useLeave();
  const create = useChange(() => send<Board>('POST', 'api/monitoring/boards', boardBody(form)), {
    touches: [['boards']],
    done: ({ slug }) => {
      tell('The board was made.');
      leave(`/${slug}/edit`);
    },
  });
  return (
    <PageFrame title="New board" crumbs={[BOARDS]}>
      <Editor form={form} onChange={setForm} change={create} verb="Create board" onCancel={() => leave('')} />
    </PageFrame>
  );
}

/** Groups on the left, what others will see on the right. */
export function EditBoardPage() {
  const slug = usePathParam('slug');
  const { data, error, refetch } = useQuery(boardQuery(slug));
  return (
    <PageFrame title={slug} crumbs={[BOARDS]}>
      {error && !data ? (
        <ErrorState what="Could not load this board." error={error} onRetry={() => void refetch()} />
      ) : data ? (
        <Existing key={data.etag} board={data.body} etag={data.etag} onReload={() => void refetch()} />
      ) : (
        <Skeleton className="h-96" />
      )}
    </PageFrame>
  );
}

function Existing({
  board,
  etag,
  onReload,
}: {
  readonly board: Board;
  readonly etag: string | null;
  readonly onReload: () => void;
}) {
  const { slug, name, source } = board;
  const [form, setForm] = useState(() => boardFormOf(board));
  const [asked, setAsked] = useState(false);
  const leave = useLeave();
  const save = useChange(() => send<Board>('PATCH', boardPath(slug), boardBody(form), etag), {
    touches: [['boards']],
    done: (saved) => {
      tell('The board was saved.');
      if (saved.slug !== slug) leave(`/${saved.slug}/edit`);
    },
  });
  const remove = useChange(() => send<null>('DELETE', boardPath(slug)), {
    touches: [['boards', 'all']],
    done: () => leave(''),
  });
  return (
    <div className="grid gap-4">
      <SourceNotice source={source} path={boardPath(slug)} />
      {save.error?.status === 412 && (
        <Notice>
          This board was changed by somebody else while you were editing. Nothing was saved.{' '}
          <button type="button" onClick={onReload} className="font-medium underline">
            Show their version
          </button>
        </Notice>
      )}
      <Editor
        form={form}
        onChange={setForm}
        change={save}
        verb="Save board"
        locked={source.kind === 'file'}
        onCancel={() => leave('')}
        onDelete={() => setAsked(true)}
      />
      {board.public && <PublicAddresses slug={slug} />}
      <ConfirmDialog
        open={asked}
        onClose={() => setAsked(false)}
        onConfirm={() => remove.run(undefined)}
        title={`Delete ${name}`}
        verb="Delete board"
        typed={slug}
        running={remove.running}
        error={remove.error}
      >
        Its address answers 404 within seconds. The monitors on it stay.
      </ConfirmDialog>
    </div>
  );
}

function Editor({
  form,
  onChange,
  change,
  verb,
  locked = false,
  onCancel,
  onDelete,
}: {
  readonly form: BoardForm;
  readonly onChange: (form: BoardForm) => void;
  readonly change: Change<undefined>;
  readonly verb: string;
  readonly locked?: boolean;
  readonly onCancel: () => void;
  readonly onDelete?: () => void;
}) {
  return (
    <div className="grid items-start gap-6 xl:grid-cols-[26rem_minmax(0,1fr)]">
      <Form
        needs={locked ? undefined : 'monitoring'}
        onSubmit={() => !locked && change.run(undefined)}
        error={change.error?.status === 412 ? null : change.error}
        running={change.running}
        actions={
          <>
            {onDelete && (
              <Button
                icon={Trash2}
                needs="monitoring"
                disabled={locked}
                onClick={onDelete}
                className="mr-auto"
              >
                Delete
              </Button>
            )}
            <Button onClick={onCancel}>{locked ? 'Back' : 'Cancel'}</Button>
            {!locked && (
              <Button type="submit" look="primary" needs="monitoring" busy={change.running}>
                {verb}
              </Button>
            )}
          </>
        }
      >
        <fieldset disabled={locked} className="grid min-w-0 gap-4">
          <BoardFields form={form} onChange={onChange} />
          <BoardGroups groups={form.groups} onChange={(groups) => onChange({ ...form, groups })} />
        </fieldset>
      </Form>
      <BoardPreview form={form} />
    </div>
  );
}

function BoardFields({
  form,
  onChange,
}: {
  readonly form: BoardForm;
  readonly onChange: (form: BoardForm) => void;
}) {
  const set = (part: Partial<BoardForm>) => onChange({ ...form, ...part });
  return (
    <>
      <div className="grid items-start gap-4 md:grid-cols-2">
        <FormField name="name" label="Title" optional>
          <Input
            value={form.name}
            placeholder={form.slug}
            onChange={({ target }) => set({ name: target.value })}
          />
        </FormField>
        <FormField name="slug" label="Address" hint={`/boards/${form.slug}`}>
          <Input
            value={form.slug}
            className="font-mono"
            onChange={({ target }) => set({ slug: target.value })}
          />
        </FormField>
      </div>
      <FormField name="timezone" label="Time zone of days and times" optional>
        <Combobox
          choices={[
            { value: '', label: 'That of the org' },
            ...Intl.supportedValuesOf('timeZone').map((zone) => ({ value: zone, label: zone })),
          ]}
          value={form.timezone}
          onChange={(timezone) => set({ timezone })}
        />
      </FormField>
      <Switch
        label="Public"
        hint="Anyone with the link sees names, states and downtime; never descriptions, metadata or errors."
        checked={form.public}
        onChange={(open) => set({ public: open })}
      />
    </>
  );
}

/** Where a public board can be seen, and what can be put elsewhere. */
function PublicAddresses({ slug }: { readonly slug: string }) {
  const url = apiUrl(`boards/${slug}`).href;
  return (
    <section className="grid max-w-3xl gap-2">
      <h2 className="flex items-center gap-3 text-body font-semibold">
        Show it elsewhere
        <a
          href={url}
          target="_blank"
          rel="noreferrer"
          className="inline-flex items-center gap-1 text-ui font-normal text-accent-ink underlined"
        >
          Open the board <ExternalLink size={12} aria-hidden="true" />
        </a>
      </h2>
      <CodeBlock
        snippets={[
          { label: 'Link', code: url },
          { label: 'Badge', code: `[![status](${url}/badge.svg)](${url})` },
          { label: 'JSON', code: `curl -fsS ${url}.json` },
        ]}
      />
    </section>
  );
}

function useLeave(): (to: string) => void {
  const navigate = useNavigate();
  const org = useOrgId();
  return (to) => void navigate({ to: `/o/${org}/boards${to}` });
}
