import { ROLE_SCOPES } from '@floe/contract/roles';
import { KEY_SCOPES, type KeyScope } from '@floe/contract/scopes';
import { isActionAllowed } from '../../data/permissions.ts';
import { useSignedInSession } from '../../data/session.ts';
import { CodeArea, Input } from '../../ui/field.tsx';
import { FormField } from '../../ui/form.tsx';
import { Checkbox } from '../../ui/toggles.tsx';
import type { KeyResource, KeyUpdateInput } from './key-data.ts';
import { parseModelPatterns } from './key-status.ts';
import { keysText } from './text.ts';

/** The form values of a key. */
export interface KeyFormValues {
  readonly name: string;
  readonly scopes: readonly KeyScope[];
  readonly models: string;
  readonly owner: string;
  readonly team: string;
}

/** The initial form values of a new key. */
export const NEW_KEY_FORM: KeyFormValues = { name: '', scopes: ['gateway'], models: '', owner: '', team: '' };

/** Converts a key to form values. */
export function toKeyFormValues({ name, scopes, models, owner, team }: KeyResource): KeyFormValues {
  return { name, scopes, models: (models ?? []).join('\n'), owner: owner ?? '', team: team ?? '' };
}

/** Converts the form to the fields of the request body. */
export function toKeyBody({ name, scopes, models, owner, team }: KeyFormValues) {
  return {
    name,
    scopes: [...scopes],
    models: parseModelPatterns(models),
    owner: owner.trim() || null,
    team: team.trim() || null,
  } satisfies KeyUpdateInput;
}

/** Renders the fields of the key form. */
export function KeyFields({
  draft,
  onChange,
}: {
  readonly draft: KeyFormValues;
  readonly onChange: (draft: KeyFormValues) => void;
}) {
  const { role } = useSignedInSession();
  const others = isActionAllowed(role, 'management');
  const put = (name: 'name' | 'models' | 'owner' | 'team') => ({
    value: draft[name],
    onChange: ({ target }: { readonly target: { readonly value: string } }) =>
      onChange({ ...draft, [name]: target.value }),
  });
  return (
    <>
      <FormField name="name" label={keysText.fields.name} hint={keysText.fields.nameHint}>
        <Input autoComplete="off" {...put('name')} />
      </FormField>
      <ScopeChoice
        chosen={draft.scopes}
        mine={ROLE_SCOPES[role]}
        onChange={(scopes) => onChange({ ...draft, scopes })}
      />
      <FormField name="models" label={keysText.fields.models} optional hint={keysText.fields.modelsHint}>
        <CodeArea rows={2} {...put('models')} />
      </FormField>
      {others && (
        <div className="grid gap-4 md:grid-cols-2">
          <FormField name="owner" label={keysText.fields.owner} optional hint={keysText.fields.ownerHint}>
            <Input autoComplete="off" {...put('owner')} />
          </FormField>
          <FormField name="team" label={keysText.fields.team} optional hint={keysText.fields.teamHint}>
            <Input autoComplete="off" {...put('team')} />
          </FormField>
        </div>
      )}
    </>
  );
}

/** Lists the scopes with their effects. Scopes that the user’s role cannot grant are disabled. */
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
    <FormField name="scopes" label={keysText.fields.scopes}>
      <fieldset className="grid gap-2">
        <legend className="sr-only">{keysText.fields.scopes}</legend>
        {KEY_SCOPES.map((scope) => (
          <Checkbox
            key={scope}
            label={scope}
            checked={chosen.includes(scope)}
            disabled={!canGrant(scope) && !chosen.includes(scope)}
            hint={
              canGrant(scope) ? keysText.scopes[scope] : keysText.fields.scopeDenied(keysText.scopes[scope])
            }
            onChange={(on) =>
              onChange(KEY_SCOPES.filter((one) => (one === scope ? on : chosen.includes(one))))
            }
          />
        ))}
      </fieldset>
    </FormField>
  );
}
