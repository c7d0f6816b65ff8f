import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Tagged } from '../../data/api-client.ts';
import { useChange } from '../../data/change.ts';
import { useLiveQuery } from '../../data/events.ts';
import { fieldChanges } from '../../data/field-changes.ts';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/facts.tsx';
import { ErrorState, Skeleton } from '../../ui/feedback.tsx';
import { Form } from '../../ui/form.tsx';
import { SourceNotice } from '../../ui/source-badge.tsx';
import { StaleNotice } from '../../ui/stale-notice.tsx';
import { tell } from '../../ui/toast.tsx';
import { SettingControl } from './setting-control.tsx';
import {
  type OrgSettings,
  SETTING_GROUPS,
  type SettingField,
  type SettingSection,
  type SettingValue,
  settingsChange,
  valueAt,
} from './setting-fields.ts';
import { changeSettings, settingsQuery } from './settings-data.ts';

/** One section of the org's settings, saved as a whole. */
export function SettingsForm({ section }: { readonly section: SettingSection }) {
  const { data, error, refetch } = useQuery(settingsQuery);
  useLiveQuery('config', settingsQuery.queryKey);
  if (error && !data)
    return <ErrorState what="Could not load the settings." error={error} onRetry={() => void refetch()} />;
  if (!data) return <Skeleton className="h-64" />;
  return <Filled section={section} settings={data} />;
}

function Filled({
  section,
  settings,
}: {
  readonly section: SettingSection;
  readonly settings: Tagged<OrgSettings>;
}) {
  const form = useDrafts(settings);
  const { base, save, change } = form;
  const stale = save.error?.status === 412;
  return (
    <Form
      error={stale ? null : save.error}
      running={save.running}
      onSubmit={() => save.run(base.etag)}
      actions={
        <Button
          type="submit"
          look="primary"
          needs="management"
          busy={save.running}
          disabled={change === null}
        >
          Save {section} settings
        </Button>
      }
    >
      {stale && (
        <StaleNotice
          changes={fieldChanges(base.body, settings.body)}
          onMine={() => save.run(null)}
          onTheirs={form.begin}
        />
      )}
      {SETTING_GROUPS[section].map(({ title, fields }) => (
        <Card key={title} title={title}>
          <div className="grid gap-4">
            {fields.map((field) => (
              <OneSetting key={field.path} field={field} form={form} />
            ))}
          </div>
        </Card>
      ))}
    </Form>
  );
}

function OneSetting({
  field,
  form: { base, drafts, put },
}: {
  readonly field: SettingField;
  readonly form: ReturnType<typeof useDrafts>;
}) {
  const source = base.body.sources[field.path.split('.', 1)[0] ?? '']?.source;
  return (
    <div className="grid gap-2">
      {source?.kind === 'file' && <SourceNotice source={{ ...source, kind: 'file' }} />}
      <SettingControl
        field={field}
        value={drafts.get(field.path) ?? valueAt(base.body, field.path)}
        disabled={source?.kind === 'file'}
        onChange={(value) => put(field.path, value)}
      />
    </div>
  );
}

/** What is typed over what was read; what others save meanwhile shows when this is saved, not under the hand. */
function useDrafts(settings: Tagged<OrgSettings>) {
  const [edited, setEdited] = useState<Tagged<OrgSettings> | null>(null);
  const [drafts, setDrafts] = useState<ReadonlyMap<string, SettingValue>>(new Map());
  const client = useQueryClient();
  const base = edited ?? settings;
  const change = settingsChange(base.body, drafts);
  const begin = () => {
    setEdited(null);
    setDrafts(new Map());
    save.reset();
  };
  const save = useChange(
    async (etag: string | null) => {
      try {
        return await changeSettings(change ?? {}, etag);
      } catch (error) {
        await client.invalidateQueries({ queryKey: settingsQuery.queryKey });
        throw error;
      }
    },
    {
      touches: [settingsQuery.queryKey, ['audit']],
      done: () => {
        begin();
        tell('Settings saved');
      },
    },
  );
  const put = (path: string, value: SettingValue) => {
    setEdited(base);
    setDrafts(new Map(drafts).set(path, value));
  };
  return { base, drafts, change, save, begin, put };
}
