import { ROLE_SCOPES } from '@floe/contract/roles';
import { KEY_SCOPES, type KeyScope } from '@floe/contract/scopes';
import { isAllowed } from '../../data/permissions.ts';
import { useSignedIn } from '../../data/session.ts';
import { CodeArea, Input } from '../../ui/field.tsx';
import { FormField } from '../../ui/form.tsx';
import { Checkbox } from '../../ui/toggles.tsx';
import type { Key, KeyChange } from './key-data.ts';
import { parseModelPatterns } from './key-status.ts';
import { text } from './text.ts';

/** The values of the key form. */
export interface KeyDraft {
  readonly name: string;
  readonly scopes: readonly KeyScope[];
  readonly models: string;
  readonly owner: string;
  readonly team: string;
}

export const EMPTY_KEY_DRAFT: KeyDraft = { name: '', scopes: ['gateway'], models: '', owner: '', team: '' };

export function toKeyDraft({ name, scopes, models, owner, team }: Key): KeyDraft {
  return { name, scopes, models: (models ?? []).join('\n'), owner: owner ?? '', team: team ?? '' };
}

/** The fields of the draft for the API. */
export function toKeyFields({ name, scopes, models, owner, team }: KeyDraft) {
  return {
    name,
    scopes: [...scopes],
    models: parseModelPatterns(models),
    owner: owner.trim() || null,
    team: team.trim() || null,
  } satisfies KeyChange;
}

/** The form fields of a new or existing key. */
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
      <FormField name="name" label={text.fields.name} hint={text.fields.nameHint}>
        <Input autoComplete="off" {...put('name')} />
      </FormField>
      <ScopeChoice
        chosen={draft.scopes}
        mine={ROLE_SCOPES[role]}
        onChange={(scopes) => onChange({ ...draft, scopes })}
      />
      <FormField name="models" label={text.fields.models} optional hint={text.fields.modelsHint}>
        <CodeArea rows={2} {...put('models')} />
      </FormField>
      {others && (
        <div className="grid gap-4 md:grid-cols-2">
          <FormField name="owner" label={text.fields.owner} optional hint={text.fields.ownerHint}>
            <Input autoComplete="off" {...put('owner')} />
          </FormField>
          <FormField name="team" label={text.fields.team} optional hint={text.fields.teamHint}>
            <Input autoComplete="off" {...put('team')} />
          </FormField>
        </div>
      )}
    </>
  );
}

/** The scopes and what each allows. A person cannot grant scopes that their role lacks. */
function ScopeChoice({
  chosen,
  mine,
  onChange,
}: {
  readonly chosen: readonly KeyScope[];
  readonly mine: readonly KeyScope[];
  readonly onChange: (scopes: readonly KeyScope[]) => void;
}) {
  const canGrant = (scope: KeyScope) =>
    mine.includes(scope) || (scope === 'beat' && mine.includes('monitoring'));
  return (
    <FormField name="scopes" label={text.fields.scopes}>
      <fieldset className="grid gap-2">
        <legend className="sr-only">{text.fields.scopes}</legend>
        {KEY_SCOPES.map((scope) => (
          <Checkbox
            key={scope}
            label={scope}
            checked={chosen.includes(scope)}
            disabled={!canGrant(scope) && !chosen.includes(scope)}
            hint={canGrant(scope) ? text.scopes[scope] : text.fields.scopeDenied(text.scopes[scope])}
            onChange={(on) =>
              onChange(KEY_SCOPES.filter((one) => (one === scope ? on : chosen.includes(one))))
            }
          />
        ))}
      </fieldset>
    </FormField>
  );
}
