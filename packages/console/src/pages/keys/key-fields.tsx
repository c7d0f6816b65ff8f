import { ROLE_SCOPES } from '@floe/contract/roles';
import { KEY_SCOPES, type KeyScope } from '@floe/contract/scopes';
import { isAllowed } from '../../data/permissions.ts';
import { useSignedIn } from '../../data/session.ts';
import { CodeArea, Input } from '../../ui/field.tsx';
import { FormField } from '../../ui/form.tsx';
import { Checkbox } from '../../ui/toggles.tsx';
import type { Key, KeyChange } from './key-data.ts';
import { patternsOf, SCOPE_WORDS } from './key-state.ts';

/** What is filled in for a key, as people type it. */
export interface KeyDraft {
  readonly name: string;
  readonly scopes: readonly KeyScope[];
  readonly models: string;
  readonly owner: string;
  readonly team: string;
}

export const NEW_KEY: KeyDraft = { name: '', scopes: ['gateway'], models: '', owner: '', team: '' };

export function draftOf({ name, scopes, models, owner, team }: Key): KeyDraft {
  return { name, scopes, models: (models ?? []).join('\n'), owner: owner ?? '', team: team ?? '' };
}

/** The draft as the API takes it. */
export function fieldsOf({ name, scopes, models, owner, team }: KeyDraft) {
  return {
    name,
    scopes: [...scopes],
    models: patternsOf(models),
    owner: owner.trim() || null,
    team: team.trim() || null,
  } satisfies KeyChange;
}

/** The fields of a key that are the same for a new one and for a change. */
export function KeyFields({
  draft,
  onChange,
}: {
  readonly draft: KeyDraft;
  readonly onChange: (draft: KeyDraft) => void;
}) {
  const { role } = useSignedIn();
  const others = isAllowed(role, 'management');
  const put = (name: 'name' | 'models' | 'owner' | 'team') => ({
    value: draft[name],
    onChange: ({ target }: { readonly target: { readonly value: string } }) =>
      onChange({ ...draft, [name]: target.value }),
  });
  return (
    <>
      <FormField name="name" label="Name" hint="What uses it: ci, agents, search-backend.">
        <Input autoComplete="off" {...put('name')} />
      </FormField>
      <ScopeChoice
        chosen={draft.scopes}
        mine={ROLE_SCOPES[role]}
        onChange={(scopes) => onChange({ ...draft, scopes })}
      />
      <FormField
        name="models"
        label="Models"
        optional
        hint="One pattern on a line, such as openai/*. Empty: every model of the org."
      >
        <CodeArea rows={2} {...put('models')} />
      </FormField>
      {others && (
        <div className="grid gap-4 md:grid-cols-2">
          <FormField name="owner" label="Owner" optional hint="An e-mail; the key ends with that member.">
            <Input autoComplete="off" {...put('owner')} />
          </FormField>
          <FormField name="team" label="Team" optional hint="Who is counted for its spending.">
            <Input autoComplete="off" {...put('team')} />
          </FormField>
        </div>
      )}
    </>
  );
}

/** Scopes with what each allows; those the person lacks cannot be given. */
function ScopeChoice({
  chosen,
  mine,
  onChange,
}: {
  readonly chosen: readonly KeyScope[];
  readonly mine: readonly KeyScope[];
  readonly onChange: (scopes: readonly KeyScope[]) => void;
}) {
  const held = (scope: KeyScope) => mine.includes(scope) || (scope === 'beat' && mine.includes('monitoring'));
  return (
    <FormField name="scopes" label="Scopes">
      <fieldset className="grid gap-2">
        <legend className="sr-only">Scopes</legend>
        {KEY_SCOPES.map((scope) => (
          <Checkbox
            key={scope}
            label={scope}
            checked={chosen.includes(scope)}
            disabled={!held(scope) && !chosen.includes(scope)}
            hint={held(scope) ? SCOPE_WORDS[scope] : `${SCOPE_WORDS[scope]} Your role cannot give it.`}
            onChange={(on) =>
              onChange(KEY_SCOPES.filter((one) => (one === scope ? on : chosen.includes(one))))
            }
          />
        ))}
      </fieldset>
    </FormField>
  );
}
