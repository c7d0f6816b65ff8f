import type { MemberRole } from '@floe/contract/roles';
import { useQuery } from '@tanstack/react-query';
import { capitalize } from '../../format/words.ts';
import { Select } from '../../ui/field.tsx';
import { FormField } from '../../ui/form.tsx';
import { teamsQuery } from './member-data.ts';
import { membersText } from './text.ts';

/** Renders a field that selects a role, with an explanation of its permissions. */
export function RoleField({
  value,
  roles,
  disabled = false,
  onChange,
}: {
  readonly value: MemberRole;
  readonly roles: readonly MemberRole[];
  readonly disabled?: boolean;
  readonly onChange: (role: string) => void;
}) {
  return (
    <FormField name="role" label={membersText.fields.role} hint={membersText.roles[value]}>
      <Select
        choices={roles.map((role) => ({ value: role, label: capitalize(role) }))}
        value={value}
        disabled={disabled}
        onChange={({ target }) => onChange(target.value)}
      />
    </FormField>
  );
}

/** Renders a field that selects the team of a member, or no team. */
export function TeamField({
  value,
  onChange,
}: {
  readonly value: string;
  readonly onChange: (team: string) => void;
}) {
  const teams = useQuery(teamsQuery).data ?? [];
  const choices = [
    { value: '', label: membersText.fields.noTeam },
    ...teams.map(({ id, name }) => ({
      value: id,
      label: name === id ? id : membersText.fields.teamOption(name, id),
    })),
  ];
  return (
    <FormField name="team" label={membersText.fields.team} optional>
      <Select choices={choices} value={value} onChange={({ target }) => onChange(target.value)} />
    </FormField>
  );
}
