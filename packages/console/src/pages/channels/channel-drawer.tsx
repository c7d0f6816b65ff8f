import type { Channel } from '@floe/contract/api/channels';
import { useQuery } from '@tanstack/react-query';
import { Send } from 'lucide-react';
import { useState } from 'react';
import type { ResourceWithETag } from '../../data/api-client.ts';
import { type ApiMutation, useApiMutation } from '../../data/api-mutation.ts';
import { buildResourceQuery, useResourceCreation, useResourceEdit } from '../../data/resource-kind.ts';
import type { ResourceEditState } from '../../data/use-patch-form.ts';
import { formatDuration } from '../../format/amounts.ts';
import { Button } from '../../ui/button.tsx';
import { Drawer } from '../../ui/drawer.tsx';
import { DrawerHeader } from '../../ui/drawer-header.tsx';
import { Notice } from '../../ui/feedback.tsx';
import { NewResourceForm, ResourceForm, ResourceLoader } from '../../ui/resource-forms.tsx';
import { StatusIcon } from '../../ui/status.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import { showToast } from '../../ui/toast.tsx';
import { UnsavedChangesGuard } from '../../ui/unsaved-changes-guard.tsx';
import {
  CHANNEL_RESOURCE_KIND,
  type ChannelTestResult,
  testChannel,
  testChannelDraft,
} from './channel-data.ts';
import { ChannelFields } from './channel-fields.tsx';
import {
  CHANNEL_KIND_FORMS,
  type ChannelFormValues,
  NEW_CHANNEL_FORM,
  toChannelTestBody,
} from './channel-form.ts';
import { DeliveryLog } from './delivery-log.tsx';
import { channelsText } from './text.ts';

interface DrawerProps {
  /** The channel ID, or `new` for a new channel. */
  readonly id: string;
  readonly onOpen: (id: string) => void;
  readonly onClose: () => void;
}

/** Shows the settings of a channel, a test button and its deliveries, or the form for a new channel. */
export function ChannelDrawer(props: DrawerProps) {
  const { id, onClose } = props;
  const isNew = id === 'new';
  const { data } = useQuery({ ...buildResourceQuery(CHANNEL_RESOURCE_KIND, id), enabled: !isNew });
  const name = isNew ? channelsText.drawer.newTitle : (data?.body.name ?? channelsText.drawer.loadingTitle);
  return (
    <Drawer title={name} about={id} onClose={onClose}>
      <DrawerHeader title={name} onClose={onClose} />
      {isNew ? (
        <div className="p-4 md:p-6">
          <NewChannel {...props} />
        </div>
      ) : (
        <ResourceLoader key={id} kind={CHANNEL_RESOURCE_KIND} id={id}>
          {(loaded) => <ChannelTabs loaded={loaded} onGone={onClose} />}
        </ResourceLoader>
      )}
    </Drawer>
  );
}

function NewChannel({ onOpen, onClose }: DrawerProps) {
  const fresh = useResourceCreation(CHANNEL_RESOURCE_KIND, NEW_CHANNEL_FORM, ({ id, name }) => {
    showToast(channelsText.drawer.created(name));
    onOpen(id);
  });
  const { form, set } = fresh;
  const [result, setResult] = useState<ChannelTestResult | null>(null);
  const test = useApiMutation(() => testChannelDraft(toChannelTestBody(form)), { done: setResult });
  return (
    <NewResourceForm
      kind={CHANNEL_RESOURCE_KIND}
      fresh={fresh}
      onCancel={onClose}
      more={<TestButton test={test} />}
      trouble={test.error}
    >
      <ChannelFields form={form} onChange={set} isNew />
      <TestResultNotice kind={CHANNEL_KIND_FORMS[form.kind].label} result={result} />
    </NewResourceForm>
  );
}

function ChannelTabs({
  loaded,
  onGone,
}: {
  readonly loaded: ResourceWithETag<Channel>;
  readonly onGone: () => void;
}) {
  const { name } = loaded.body;
  // The form state is kept outside the tabs, so that unsaved changes remain while the user views the
  // deliveries.
  const edit = useResourceEdit(CHANNEL_RESOURCE_KIND, loaded, (saved) =>
    showToast(channelsText.drawer.saved(saved.name)),
  );
  return (
    <Tabs
      label={channelsText.drawer.tabs}
      tabs={[
        {
          id: 'settings',
          label: channelsText.drawer.settings,
          content: <ChannelSettings channel={loaded.body} edit={edit} onGone={onGone} />,
        },
        {
          id: 'deliveries',
          label: channelsText.drawer.deliveries,
          content: (
            <>
              <DeliveryLog filters={{ channel: name }} channel={name} />
              {/* The form, which has its own guard, is rendered only in the other tab. */}
              <UnsavedChangesGuard active={edit.isChanged || edit.saving} saving={edit.saving} />
            </>
          ),
        },
      ]}
    />
  );
}

function ChannelSettings({
  channel,
  edit,
  onGone,
}: {
  readonly channel: Channel;
  readonly edit: ResourceEditState<ChannelFormValues>;
  readonly onGone: () => void;
}) {
  return (
    <div className="grid gap-4">
      <ChannelHealth channel={channel} isChanged={edit.isChanged} />
      <ResourceForm kind={CHANNEL_RESOURCE_KIND} resource={channel} edit={edit} onGone={onGone}>
        <ChannelFields form={edit.form} onChange={edit.set} origin={channel.url_origin} />
      </ResourceForm>
    </div>
  );
}

/** Shows failed deliveries, and a button that tests the saved channel. */
function ChannelHealth({
  channel: { id, kind, failures, backoff_until },
  isChanged,
}: {
  readonly channel: Channel;
  /** Whether the form has changes that are not saved. */
  readonly isChanged: boolean;
}) {
  const [result, setResult] = useState<ChannelTestResult | null>(null);
  const test = useApiMutation(() => testChannel(id), { touches: [['alerts']], done: setResult });
  return (
    <>
      {failures > 0 && (
        <Notice state="failing">
          {channelsText.health.failures(failures)}
          {backoff_until !== null && ` ${channelsText.health.backoff}`}
        </Notice>
      )}
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <TestButton test={test} disabled={isChanged} />
        {isChanged && <p className="text-small text-ink-2">{channelsText.test.saveFirst}</p>}
      </div>
      {test.error && <p className="text-small text-failing-ink">{test.error.message}</p>}
      <TestResultNotice kind={CHANNEL_KIND_FORMS[kind].label} result={result} />
    </>
  );
}

function TestButton({
  test,
  disabled = false,
}: {
  readonly test: ApiMutation<undefined>;
  readonly disabled?: boolean;
}) {
  return (
    <Button
      icon={Send}
      needs="monitoring"
      busy={test.running}
      disabled={disabled}
      onClick={() => test.run(undefined)}
    >
      {channelsText.test.send}
    </Button>
  );
}

/** Shows the receiver’s response to a test message. */
function TestResultNotice({
  kind,
  result,
}: {
  readonly kind: string;
  readonly result: ChannelTestResult | null;
}) {
  if (!result) return null;
  const { ok, error } = result;
  return (
    <p
      role="status"
      className={`flex items-start gap-2 rounded-control border px-3 py-2 text-ui ${
        ok ? 'border-healthy-line bg-healthy-tint' : 'border-failing-line bg-failing-tint'
      }`}
    >
      <span className="mt-0.5">
        <StatusIcon state={ok ? 'healthy' : 'failing'} />
      </span>
      <span>
        {testSummary(kind, result)}
        {error !== null && ` ${error}`}
      </span>
    </p>
  );
}

function testSummary(kind: string, { ok, status, duration_ms }: ChannelTestResult): string {
  const duration = formatDuration(duration_ms);
  if (status !== null) return channelsText.test.responded(kind, status, duration);
  return ok ? channelsText.test.accepted(kind, duration) : channelsText.test.noResponse(kind, duration);
}
