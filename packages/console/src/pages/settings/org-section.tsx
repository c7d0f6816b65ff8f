import type { OrgResource } from '@floe/contract/api/orgs';
import { useQuery } from '@tanstack/react-query';
import type { ResourceWithETag } from '../../data/api-client.ts';
import { ORG_API_PATH, orgQuery } from '../../data/org.ts';
import { sessionQuery } from '../../data/session.ts';
import { usePatchForm } from '../../data/use-patch-form.ts';
import { Card } from '../../ui/cards.tsx';
import { EditForm } from '../../ui/edit-form.tsx';
import { ErrorState, Skeleton } from '../../ui/feedback.tsx';
import { Input } from '../../ui/field.tsx';
import { FormField } from '../../ui/form.tsx';
import { TimeZoneCombobox } from '../../ui/time-zone-combobox.tsx';
import { showToast } from '../../ui/toast.tsx';
import { settingsText } from './text.ts';

/** Renders the form for the name and time zone of the organization. */
export function OrgSection() {
  const { data, error, refetch } = useQuery(orgQuery);
  if (error && !data)
    return (
      <ErrorState what={settingsText.organization.loadFailed} error={error} onRetry={() => void refetch()} />
    );
  if (!data) return <Skeleton className="h-48" />;
  return <OrgForm org={data} />;
}

function OrgForm({ org }: { readonly org: ResourceWithETag<OrgResource> }) {
  const edit = usePatchForm({
    path: ORG_API_PATH,
    loaded: org,
    formOf: ({ name, timezone }: OrgResource) => ({ name, timezone }),
    write: (form) => form,
    touches: [orgQuery.queryKey, sessionQuery.queryKey, ['audit']],
    done: () => showToast(settingsText.organization.saved),
  });
  const { form, set } = edit;
  return (
    <Card
      title={settingsText.organization.title}
      aside={<code className="font-mono text-code">{org.body.id}</code>}
    >
      <EditForm edit={edit} source={org.body.source} verb={settingsText.organization.save}>
        <FormField
          name="name"
          label={settingsText.organization.name}
          hint={settingsText.organization.nameHint}
        >
          <Input value={form.name} onChange={({ target }) => set({ name: target.value })} />
        </FormField>
        <FormField
          name="timezone"
          label={settingsText.organization.timeZone}
          hint={settingsText.organization.timeZoneHint}
        >
          <TimeZoneCombobox value={form.timezone} onChange={(timezone) => set({ timezone })} />
        </FormField>
      </EditForm>
    </Card>
  );
}
