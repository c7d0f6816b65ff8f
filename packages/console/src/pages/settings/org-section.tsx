import type { Org } from '@floe/contract/api/orgs';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Tagged } from '../../data/api-client.ts';
import { useChange } from '../../data/change.ts';
import { fieldChanges } from '../../data/field-changes.ts';
import { sessionQuery } from '../../data/session.ts';
import { Button } from '../../ui/button.tsx';
import { Combobox } from '../../ui/combobox.tsx';
import { Card, KeyValue } from '../../ui/facts.tsx';
import { ErrorState, Skeleton } from '../../ui/feedback.tsx';
import { Input } from '../../ui/field.tsx';
import { Form, FormField } from '../../ui/form.tsx';
import { SourceNotice } from '../../ui/source-badge.tsx';
import { StaleNotice } from '../../ui/stale-notice.tsx';
import { tell } from '../../ui/toast.tsx';
import { changeOrg, orgQuery } from './settings-data.ts';

/** The org's name and time zone. */
export function OrgSection() {
  const { data, error, refetch } = useQuery(orgQuery);
  if (error && !data)
    return <ErrorState what="Could not load the org." error={error} onRetry={() => void refetch()} />;
  if (!data) return <Skeleton className="h-48" />;
  return <OrgForm org={data} />;
}

function OrgForm({ org }: { readonly org: Tagged<Org> }) {
  const [base, setBase] = useState(org);
  const [draft, setDraft] = useState({ name: org.body.name, timezone: org.body.timezone });
  const client = useQueryClient();
  const save = useChange((etag: string | null) => changeOrg(draft, etag), {
    touches: [orgQuery.queryKey, sessionQuery.queryKey, ['audit']],
    done: () => {
      begin();
      tell('Organization saved');
    },
  });
  const begin = () => {
    const now = client.getQueryData(orgQuery.queryKey) ?? org;
    setBase(now);
    setDraft({ name: now.body.name, timezone: now.body.timezone });
    save.reset();
  };
  const readOnly = base.body.source.kind === 'file';
  const stale = save.error?.status === 412;
  return (
    <Card title="Organization">
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
            disabled={readOnly || fieldChanges(draft, pick(base.body)).length === 0}
          >
            Save organization
          </Button>
        }
      >
        {stale && <Meanwhile base={base.body} onMine={() => save.run(null)} onTheirs={begin} />}
        <SourceNotice source={base.body.source} />
        <FormField name="name" label="Name" hint="Shown in the console, in alerts and on boards.">
          <Input
            value={draft.name}
            disabled={readOnly}
            onChange={({ target }) => setDraft({ ...draft, name: target.value })}
          />
        </FormField>
        <FormField name="timezone" label="Time zone" hint="For budget periods, schedules and boards.">
          {readOnly ? (
            <Input value={draft.timezone} disabled />
          ) : (
            <Combobox
              choices={ZONES}
              value={draft.timezone}
              onChange={(timezone) => setDraft({ ...draft, timezone })}
            />
          )}
        </FormField>
        <KeyValue
          items={[
            [
              'Id',
              <code key="id" className="font-mono text-code">
                {base.body.id}
              </code>,
            ],
          ]}
        />
      </Form>
    </Card>
  );
}

/** What somebody else saved since the form was filled. */
function Meanwhile({
  base,
  onMine,
  onTheirs,
}: {
  readonly base: Org;
  readonly onMine: () => void;
  readonly onTheirs: () => void;
}) {
  const { data } = useQuery({ ...orgQuery, staleTime: 0 });
  return <StaleNotice changes={fieldChanges(base, data?.body ?? base)} onMine={onMine} onTheirs={onTheirs} />;
}

function pick({ name, timezone }: Org) {
  return { name, timezone };
}

const ZONES = ['UTC', ...Intl.supportedValuesOf('timeZone').filter((zone) => zone !== 'UTC')].map((zone) => ({
  value: zone,
  label: zone,
}));
