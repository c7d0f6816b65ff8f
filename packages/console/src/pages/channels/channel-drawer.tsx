import type { Channel } from '@floe/contract/api/channels';
import { useQuery } from '@tanstack/react-query';
import { Send, Trash2, X } from 'lucide-react';
import { useState } from 'react';
import { send } from '../../data/api-client.ts';
import { useChange } from '../../data/change.ts';
import { duration } from '../../format/amounts.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { Drawer } from '../../ui/drawer.tsx';
import { ErrorState, Notice, Skeleton } from '../../ui/feedback.tsx';
import { Form } from '../../ui/form.tsx';
import { SourceNotice } from '../../ui/source-badge.tsx';
import { StateIcon } from '../../ui/state.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import { tell } from '../../ui/toast.tsx';
import {
  type ChannelTest,
  channelPath,
  channelQuery,
  createChannel,
  testChannel,
  testDraft,
} from './channel-data.ts';
import { ChannelFields } from './channel-fields.tsx';
import { channelBody, channelChangeBody, channelFormOf, draftBody, EMPTY, KINDS } from './channel-form.ts';
import { DeliveryLog } from './delivery-log.tsx';

/** One channel: its settings, a test, and what was sent. */
export function ChannelDrawer({
  id,
  onClose,
  onMade,
}: {
  readonly id: string;
  readonly onClose: () => void;
  readonly onMade: (id: string) => void;
}) {
  const isNew = id === 'new';
  const { data, error, refetch } = useQuery({ ...channelQuery(id), enabled: !isNew });
  const name = isNew ? 'New channel' : (data?.body.name ?? 'Channel');
  return (
    <Drawer title={name} about={id} onClose={onClose}>
      <div className="flex items-center justify-between gap-2 px-4 pt-4 md:px-6">
        <h2 className="truncate text-title font-semibold tracking-tight">{name}</h2>
        <IconButton icon={X} label="Close" keys="Esc" onClick={onClose} />
      </div>
      {isNew ? (
        <div className="p-4 md:p-6">
          <NewChannel onMade={onMade} />
        </div>
      ) : error && !data ? (
        <ErrorState what="Could not load this channel." error={error} onRetry={() => void refetch()} />
      ) : data ? (
        <Tabs
          key={id}
          label="Parts of the channel"
          tabs={[
            {
              id: 'settings',
              label: 'Settings',
              content: (
                <ChannelEditor
                  key={data.etag}
                  channel={data.body}
                  etag={data.etag}
                  onGone={onClose}
                  onReload={() => void refetch()}
                />
              ),
            },
            {
              id: 'deliveries',
              label: 'Deliveries',
              content: <DeliveryLog filters={{ channel: data.body.name }} channel={data.body.name} />,
            },
          ]}
        />
      ) : (
        <Skeleton className="m-6 h-64" />
      )}
    </Drawer>
  );
}

function NewChannel({ onMade }: { readonly onMade: (id: string) => void }) {
  const [form, setForm] = useState(EMPTY);
  const create = useChange(() => createChannel(channelBody(form)), {
    touches: [['channels']],
    done: ({ id, name }) => {
      tell(`${name} is told from now on.`);
      onMade(id);
    },
  });
  const test = useChange(() => testDraft(draftBody(form)), { done: (answer) => setResult(answer) });
  const [result, setResult] = useState<ChannelTest | null>(null);
  return (
    <Form
      needs="monitoring"
      onSubmit={() => create.run(undefined)}
      error={create.error ?? test.error}
      running={create.running}
      actions={
        <>
          <Button icon={Send} needs="monitoring" busy={test.running} onClick={() => test.run(undefined)}>
            Send a test
          </Button>
          <Button type="submit" look="primary" needs="monitoring" busy={create.running}>
            Create channel
          </Button>
        </>
      }
    >
      <ChannelFields form={form} onChange={setForm} isNew />
      <TestResult kind={KINDS[form.kind].label} result={result} />
    </Form>
  );
}

function ChannelEditor({
  channel,
  etag,
  onGone,
  onReload,
}: {
  readonly channel: Channel;
  readonly etag: string | null;
  readonly onGone: () => void;
  readonly onReload: () => void;
}) {
  const { id, name, source, kind } = channel;
  const [form, setForm] = useState(() => channelFormOf(channel));
  const [result, setResult] = useState<ChannelTest | null>(null);
  const touches = [['channels']];
  const save = useChange(() => send<Channel>('PATCH', channelPath(id), channelChangeBody(form), etag), {
    touches,
    done: () => tell(`${name} was saved.`),
  });
  const test = useChange(() => testChannel(id), {
    touches: [['alerts']],
    done: (answer) => setResult(answer),
  });
  const locked = source.kind === 'file';
  return (
    <div className="grid gap-4">
      <SourceNotice source={source} path={channelPath(id)} />
      <Troubles channel={channel} changed={save.error?.status === 412} onReload={onReload} />
      <Form
        needs={locked ? undefined : 'monitoring'}
        onSubmit={() => !locked && save.run(undefined)}
        error={save.error?.status === 412 ? null : (save.error ?? test.error)}
        running={save.running}
        actions={
          <>
            <DeleteChannel channel={channel} onGone={onGone} />
            <Button icon={Send} needs="monitoring" busy={test.running} onClick={() => test.run(undefined)}>
              Send a test
            </Button>
            <Button type="submit" look="primary" needs="monitoring" disabled={locked} busy={save.running}>
              Save channel
            </Button>
          </>
        }
      >
        <fieldset disabled={locked} className="grid gap-4">
          <ChannelFields form={form} onChange={setForm} origin={channel.url_origin} />
        </fieldset>
        <TestResult kind={KINDS[kind].label} result={result} />
      </Form>
    </div>
  );
}

/** What stands in the way of a message, or of a change. */
function Troubles({
  channel: { failures, resting_until },
  changed,
  onReload,
}: {
  readonly channel: Channel;
  readonly changed: boolean;
  readonly onReload: () => void;
}) {
  return (
    <>
      {failures > 0 && (
        <Notice state="failing">
          {failures} {failures === 1 ? 'try' : 'tries'} failed since the last one that arrived.
          {resting_until !== null && ' It rests for a while, then the next message is tried.'}
        </Notice>
      )}
      {changed && (
        <Notice>
          This channel was changed by somebody else while you were editing. Nothing was saved.{' '}
          <button type="button" onClick={onReload} className="font-medium underline">
            Show their version
          </button>
        </Notice>
      )}
    </>
  );
}

function DeleteChannel({
  channel: { id, name, source },
  onGone,
}: {
  readonly channel: Channel;
  readonly onGone: () => void;
}) {
  const [asked, setAsked] = useState(false);
  const remove = useChange(() => send<null>('DELETE', channelPath(id)), {
    touches: [['channels']],
    done: onGone,
  });
  return (
    <>
      <Button
        icon={Trash2}
        needs="monitoring"
        disabled={source.kind === 'file'}
        onClick={() => setAsked(true)}
        className="mr-auto"
      >
        Delete
      </Button>
      <ConfirmDialog
        open={asked}
        onClose={() => setAsked(false)}
        onConfirm={() => remove.run(undefined)}
        title={`Delete ${name}`}
        verb="Delete channel"
        running={remove.running}
        error={remove.error}
      >
        It is told nothing from then on. Monitors that name only this channel tell nobody.
      </ConfirmDialog>
    </>
  );
}

/** What the receiver said to the test. */
function TestResult({ kind, result }: { readonly kind: string; readonly result: ChannelTest | null }) {
  if (!result) return null;
  const { ok, status, error, duration_ms } = result;
  return (
    <p
      role="status"
      className={`flex items-start gap-2 rounded-control border px-3 py-2 text-ui ${
        ok ? 'border-healthy-line bg-healthy-tint' : 'border-failing-line bg-failing-tint'
      }`}
    >
      <span className="mt-0.5">
        <StateIcon state={ok ? 'healthy' : 'failing'} />
      </span>
      <span>
        {kind} {status === null ? 'did not answer' : `answered ${status}`} in {duration(duration_ms)}.
        {error !== null && ` ${error}`}
      </span>
    </p>
  );
}
