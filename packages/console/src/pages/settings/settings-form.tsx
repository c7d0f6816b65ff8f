import { useQuery } from '@tanstack/react-query';
import type { ResourceWithETag } from '../../data/api-client.ts';
import { type ResourceEditState, usePatchForm } from '../../data/use-patch-form.ts';
import { useRefetchOnEvent } from '../../data/use-refetch-on-event.ts';
import { Card } from '../../ui/cards.tsx';
import { EditForm } from '../../ui/edit-form.tsx';
import { ErrorState, Skeleton } from '../../ui/feedback.tsx';
import { ManagedByFileNotice } from '../../ui/source-badge.tsx';
import { showToast } from '../../ui/toast.tsx';
import { SettingControl } from './setting-control.tsx';
import {
  type OrgSettingsResource,
  SETTING_GROUPS,
  type SettingField,
  type SettingSection,
  type SettingsFormValues,
  toSettingsFormValues,
  toSettingsPatch,
} from './setting-fields.ts';
import { SETTINGS_API_PATH, settingsQuery } from './settings-data.ts';
import { settingsText } from './text.ts';

/** Renders the form for one section of the organization’s settings. The section is saved as a whole. */
export function SettingsForm({ section }: { readonly section: SettingSection }) {
  const { data, error, refetch } = useQuery(settingsQuery);
  useRefetchOnEvent('config', settingsQuery.queryKey);
  if (error && !data)
    return <ErrorState what={settingsText.page.loadFailed} error={error} onRetry={() => void refetch()} />;
  if (!data) return <Skeleton className="h-64" />;
  return <Section section={section} loaded={data} />;
}

function Section({
  section,
  loaded,
}: {
  readonly section: SettingSection;
  readonly loaded: ResourceWithETag<OrgSettingsResource>;
}) {
  const edit = usePatchForm<OrgSettingsResource, SettingsFormValues>({
    path: SETTINGS_API_PATH,
    loaded,
    formOf: (settings) => toSettingsFormValues(section, settings),
    write: (form, before) => toSettingsPatch(before, form),
    touches: [settingsQuery.queryKey, ['audit']],
    done: () => showToast(settingsText.page.saved[section]),
  });
  return (
    // Each setting shows its own source, because a section can contain settings from the file and from the
    // console.
    <EditForm edit={edit} source={{ kind: 'console' }} verb={settingsText.page.save[section]}>
      {SETTING_GROUPS[section].map(({ title, fields }) => (
        <Card key={title} title={title}>
          <div className="grid gap-4">
            {fields.map((field) => (
              <OneSetting key={field.path} field={field} edit={edit} settings={loaded.body} />
            ))}
          </div>
        </Card>
      ))}
    </EditForm>
  );
}

function OneSetting({
  field,
  edit,
  settings,
}: {
  readonly field: SettingField;
  readonly edit: ResourceEditState<SettingsFormValues>;
  readonly settings: OrgSettingsResource;
}) {
  const source = settings.sources[field.path.split('.', 1)[0] ?? '']?.source;
  const fromFile = source?.kind === 'file';
  return (
    <div className="grid gap-2">
      {fromFile && <ManagedByFileNotice source={{ kind: 'file', file: source.file, line: source.line }} />}
      <SettingControl
        field={field}
        value={edit.form[field.path] ?? ''}
        disabled={fromFile}
        onChange={(value) => edit.set({ [field.path]: value })}
      />
    </div>
  );
}
