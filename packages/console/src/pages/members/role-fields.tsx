import type { MemberRole } from '@floe/contract/roles';
import { useQuery } from '@tanstack/react-query';
import { Select } from '../../ui/field.tsx';
import { FormField } from '../../ui/form.tsx';
import { teamsQuery } from './member-data.ts';
import { ROLE_WORDS } from './member-rules.ts';

/** A role, with what it may do. */
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
    <FormField name="role" label="Role" hint={ROLE_WORDS[value]}>
      <Select
        choices={roles.map((role) => ({ value: role, label: role }))}
        value={value}
        disabled={disabled}
        onChange={({ target }) => onChange(target.value)}
      />
    </FormField>
  );
}

/** The team a person is counted in; none is one too. */
export function TeamField({
  value,
  onChange,
}: {
  readonly value: string;
  readonly onChange: (team: string) => void;
}) {
  const teams = useQuery(teamsQuery).data ?? [];
  const choices = [
    { value: '', label: 'No team' },
    ...teams.map(({ id, name }) => ({ value: id, label: name === id ? id : `${name} (${id})` })),
  ];
  return (
    <FormField name="team" label="Team" optional>
      <Select choices={choices} value={value} onChange={({ target }) => onChange(target.value)} />
    </FormField>
  );
}
