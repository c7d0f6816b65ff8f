import type { OrgResource } from '@floe/contract/api/orgs';
import { useQuery } from '@tanstack/react-query';
import type { WithETag } from '../../data/api-client.ts';
import { useEdit } from '../../data/edit.ts';
import { ORG_PATH, orgQuery } from '../../data/org.ts';
import { sessionQuery } from '../../data/session.ts';
import { Card } from '../../ui/cards.tsx';
import { EditForm } from '../../ui/edit-form.tsx';
import { ErrorState, Skeleton } from '../../ui/feedback.tsx';
import { Input } from '../../ui/field.tsx';
import { FormField } from '../../ui/form.tsx';
import { TimeZoneCombobox } from '../../ui/time-zone-combobox.tsx';
import { showToast } from '../../ui/toast.tsx';

/** The org's name and time zone. */
export function OrgSection() {
  const { data, error, refetch } = useQuery(orgQuery);
  if (error && !data)
    return <ErrorState what="Could not load the org." error={error} onRetry={() => void refetch()} />;
  if (!data) return <Skeleton className="h-48" />;
  return <OrgForm org={data} />;
}

function OrgForm({ org }: { readonly org: WithETag<OrgResource> }) {
  const edit = useEdit({
    path: ORG_PATH,
    read: org,
    formOf: ({ name, timezone }: OrgResource) => ({ name, timezone }),
    write: (form) => form,
    touches: [orgQuery.queryKey, sessionQuery.queryKey, ['audit']],
    done: () => showToast('Organization saved'),
  });
  const { form, set } = edit;
  return (
    <Card title="Organization" aside={<code className="font-mono text-code">{org.body.id}</code>}>
      <EditForm edit={edit} source={org.body.source} verb="Save organization">
        <FormField name="name" label="Name" hint="Shown in the console, in alerts and on boards.">
          <Input value={form.name} onChange={({ target }) => set({ name: target.value })} />
        </FormField>
        <FormField name="timezone" label="Time zone" hint="For budget periods, schedules and boards.">
          <TimeZoneCombobox value={form.timezone} onChange={(timezone) => set({ timezone })} />
        </FormField>
      </EditForm>
    </Card>
  );
}
