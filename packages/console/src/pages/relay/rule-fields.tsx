import type { FormPart } from '../../data/edit.ts';
import { Notice } from '../../ui/feedback.tsx';
import { CodeArea, Input, Select, TextArea } from '../../ui/field.tsx';
import { FormField } from '../../ui/form.tsx';
import { RadioGroup } from '../../ui/radio-group.tsx';
import { Checkbox } from '../../ui/toggles.tsx';
import { usePersistedOpen } from '../../ui/use-persisted-open.ts';
import { type HookEventKind, hookEventLabel } from './decision-label.ts';
import { useRelayMode } from './relay-data.ts';
import { HELD_BACK, type MatchField, type RuleForm } from './rule-form.ts';

const DECISIONS = [
  { id: 'deny', label: 'Deny', does: 'The agent may not; it reads why.' },
  { id: 'ask', label: 'Ask', does: 'A person decides first.' },
  { id: 'allow', label: 'Allow', does: 'The agent skips its own question.' },
] as const;

const MODES = [
  { id: 'observe', label: 'Observe', does: 'Writes down what it would have said.' },
  { id: 'warn', label: 'Warn', does: 'Tells the person, too; stops nothing.' },
  { id: 'enforce', label: 'Enforce', does: 'Decides.' },
] as const;

const EVENTS: readonly HookEventKind[] = ['shell', 'tool', 'prompt', 'file_read', 'file_write'];

interface RuleMatchField {
  readonly name: MatchField;
  readonly label: string;
  readonly placeholder: string;
  readonly events: readonly HookEventKind[];
}

const RULE_MATCH_FIELDS: readonly RuleMatchField[] = [
  matchField('command', 'Commands', 'git', 'shell'),
  matchField('subcommand', 'Subcommands', 'push', 'shell'),
  matchField('any_flag', 'Any of these options', '-f\n--force', 'shell'),
  matchField('args', 'Any argument like', 'origin', 'shell'),
  matchField('does', 'What it does', 'runs_input', 'shell'),
  matchField('server_url', 'Address of the connector', 'https://mcp.acme.example/*', 'tool'),
  matchField('server_command', 'Command that starts it', '*postgres*', 'tool'),
  matchField('tool', 'Tools', 'execute_*', 'tool'),
  matchField('path', 'Paths', '~/.ssh/*\n.env', 'file_read', 'file_write'),
  matchField('text', 'Text (regular expressions)', 'BEGIN [A-Z ]*PRIVATE KEY', 'prompt', 'tool'),
];

function matchField(
  name: MatchField,
  label: string,
  placeholder: string,
  ...events: readonly HookEventKind[]
): RuleMatchField {
  return { name, label, placeholder, events };
}

type Fields = FormPart<RuleForm>;

/** Everything a rule says, from what it is called to what people read. */
export function RuleFields({ form, onChange }: Fields) {
  const isObserving = useRelayMode() === 'observe';
  return (
    <>
      <FormField name="name" label="Name" hint="Named in every decision. Small letters, digits and dashes.">
        <Input
          value={form.name}
          placeholder="no-force-push"
          onChange={({ target }) => onChange({ name: target.value })}
        />
      </FormField>
      <RadioGroup
        label="When it applies"
        options={DECISIONS}
        value={form.decision}
        onChange={(decision) => onChange({ decision })}
      />
      <RadioGroup label="Mode" options={MODES} value={form.mode} onChange={(mode) => onChange({ mode })} />
      {form.mode !== 'observe' && isObserving && <Notice>{HELD_BACK}</Notice>}
      <MatchFields form={form} onChange={onChange} />
      <div className="grid gap-4 sm:grid-cols-2">
        <FormField name="message.user" label="The person sees" optional>
          <TextArea rows={2} value={form.user} onChange={({ target }) => onChange({ user: target.value })} />
        </FormField>
        <FormField name="message.agent" label="The agent reads" optional hint="Say what to do instead.">
          <TextArea
            rows={2}
            value={form.agent}
            onChange={({ target }) => onChange({ agent: target.value })}
          />
        </FormField>
      </div>
      <AdvancedFields form={form} onChange={onChange} />
    </>
  );
}

/** Only the parts that are read on the chosen events. */
function MatchFields({ form, onChange }: Fields) {
  const parts = RULE_MATCH_FIELDS.filter(
    ({ name, events }) => form.match[name] !== '' || events.some((event) => form.on.includes(event)),
  );
  return (
    <>
      <fieldset className="grid gap-1">
        <legend className="mb-1 text-label text-ink-2">Reads</legend>
        <div className="flex flex-wrap gap-x-5 gap-y-1">
          {EVENTS.map((event) => (
            <Checkbox
              key={event}
              label={hookEventLabel(event)}
              checked={form.on.includes(event)}
              onChange={(checked) =>
                onChange({
                  on: EVENTS.filter((one) => (one === event ? checked : form.on.includes(one))),
                })
              }
            />
          ))}
        </div>
      </fieldset>
      <div className="grid gap-4 sm:grid-cols-2">
        {parts.map(({ name, label, placeholder }) => (
          <FormField key={name} name={`match.${name}`} label={label} optional>
            <CodeArea
              rows={2}
              value={form.match[name]}
              placeholder={placeholder}
              onChange={({ target }) => onChange({ match: { ...form.match, [name]: target.value } })}
            />
          </FormField>
        ))}
      </div>
      <p className="text-small text-ink-3">
        One to a line; any of them is enough, and every field given must match. An asterisk stands for any
        characters.
      </p>
    </>
  );
}

function AdvancedFields({ form, onChange }: Fields) {
  const isUsed = usePersistedOpen(form.when !== '' || form.rest !== '');
  return (
    <details className="rounded-control border border-line px-3 py-2" open={isUsed}>
      <summary className="cursor-pointer text-ui text-ink-2">
        Conditions, people, schedule, exceptions
      </summary>
      <div className="mt-3 grid gap-4">
        <FormField name="when" label="Condition" optional hint="CEL, beside the fields above.">
          <CodeArea
            rows={2}
            value={form.when}
            placeholder={'repository.branch == "main"'}
            onChange={({ target }) => onChange({ when: target.value })}
          />
        </FormField>
        <FormField
          name="rest"
          label="The rest of the rule as JSON"
          optional
          hint="detect, who, schedule, except, and what match has beside the fields above, as floe.yaml says them."
        >
          <CodeArea
            rows={5}
            value={form.rest}
            placeholder={'{"who": {"teams": ["search"]}}'}
            onChange={({ target }) => onChange({ rest: target.value })}
          />
        </FormField>
        <FormField name="on_error" label="When no answer comes in time">
          <Select
            choices={[
              { value: 'open', label: 'The agent carries on' },
              { value: 'closed', label: 'The agent is refused' },
            ]}
            value={form.onError}
            onChange={({ target }) => onChange({ onError: target.value === 'closed' ? 'closed' : 'open' })}
          />
        </FormField>
      </div>
    </details>
  );
}
