import type { FormFieldsProps } from '../../data/use-patch-form.ts';
import { Notice } from '../../ui/feedback.tsx';
import { CodeArea, Input, Select, TextArea } from '../../ui/field.tsx';
import { FormField } from '../../ui/form.tsx';
import { RadioGroup } from '../../ui/radio-group.tsx';
import { Checkbox } from '../../ui/toggles.tsx';
import { useHasBeenTrue } from '../../ui/use-has-been-true.ts';
import { type AgentEventKind, getAgentEventLabel } from './decision-display.ts';
import { useRelayMode } from './relay-data.ts';
import type { MatchField, RuleFormValues } from './rule-form.ts';
import { ruleText } from './rule-text.ts';

const DECISIONS = [
  { id: 'deny', label: ruleText.decisions.deny, does: ruleText.form.denyHint },
  { id: 'ask', label: ruleText.decisions.ask, does: ruleText.form.askHint },
  { id: 'allow', label: ruleText.decisions.allow, does: ruleText.form.allowHint },
] as const;

const MODES = [
  { id: 'observe', label: ruleText.form.observe, does: ruleText.form.observeHint },
  { id: 'warn', label: ruleText.form.warn, does: ruleText.form.warnHint },
  { id: 'enforce', label: ruleText.form.enforce, does: ruleText.form.enforceHint },
] as const;

const EVENTS: readonly AgentEventKind[] = ['shell', 'tool', 'prompt', 'file_read', 'file_write'];

interface RuleMatchField {
  readonly name: MatchField;
  readonly label: string;
  readonly placeholder: string;
  readonly events: readonly AgentEventKind[];
}

const RULE_MATCH_FIELDS: readonly RuleMatchField[] = [
  matchField('command', 'git', 'shell'),
  matchField('subcommand', 'push', 'shell'),
  matchField('any_flag', '-f\n--force', 'shell'),
  matchField('args', 'origin', 'shell'),
  matchField('does', 'runs_input', 'shell'),
  matchField('server_url', 'https://mcp.acme.example/*', 'tool'),
  matchField('server_command', '*postgres*', 'tool'),
  matchField('tool', 'execute_*', 'tool'),
  matchField('path', '~/.ssh/*\n.env', 'file_read', 'file_write'),
  matchField('text', 'BEGIN [A-Z ]*PRIVATE KEY', 'prompt', 'tool'),
];

const COMMAND_EFFECTS_HINT = ruleText.form.doesHint(Object.keys(ruleText.command.traits));

function matchField(
  name: MatchField,
  placeholder: string,
  ...events: readonly AgentEventKind[]
): RuleMatchField {
  return { name, label: ruleText.form[name], placeholder, events };
}

type Fields = FormFieldsProps<RuleFormValues>;

/** Renders the fields of the rule form. */
export function RuleFields({ form, onChange }: Fields) {
  const isObserving = useRelayMode() === 'observe';
  return (
    <>
      <FormField name="name" label={ruleText.form.name} hint={ruleText.form.nameHint}>
        <Input
          value={form.name}
          placeholder={ruleText.form.namePlaceholder}
          onChange={({ target }) => onChange({ name: target.value })}
        />
      </FormField>
      <RadioGroup
        label={ruleText.form.decision}
        options={DECISIONS}
        value={form.decision}
        onChange={(decision) => onChange({ decision })}
      />
      <RadioGroup
        label={ruleText.form.mode}
        options={MODES}
        value={form.mode}
        onChange={(mode) => onChange({ mode })}
      />
      {form.mode !== 'observe' && isObserving && <Notice>{ruleText.observeOnly}</Notice>}
      <MatchFields form={form} onChange={onChange} />
      <div className="grid gap-4 sm:grid-cols-2">
        <FormField name="message.user" label={ruleText.form.userMessage} optional>
          <TextArea rows={2} value={form.user} onChange={({ target }) => onChange({ user: target.value })} />
        </FormField>
        <FormField
          name="message.agent"
          label={ruleText.form.agentMessage}
          optional
          hint={ruleText.form.agentMessageHint}
        >
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

/** The match fields for the selected events. */
function MatchFields({ form, onChange }: Fields) {
  const parts = RULE_MATCH_FIELDS.filter(
    ({ name, events }) => form.match[name] !== '' || events.some((event) => form.on.includes(event)),
  );
  return (
    <>
      <fieldset className="grid gap-1">
        <legend className="mb-1 text-label text-ink-2">{ruleText.form.events}</legend>
        <div className="flex flex-wrap gap-x-5 gap-y-1">
          {EVENTS.map((event) => (
            <Checkbox
              key={event}
              label={getAgentEventLabel(event)}
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
          <FormField
            key={name}
            name={`match.${name}`}
            label={label}
            optional
            {...(name === 'does' ? { hint: COMMAND_EFFECTS_HINT } : {})}
          >
            <CodeArea
              rows={2}
              value={form.match[name]}
              placeholder={placeholder}
              onChange={({ target }) => onChange({ match: { ...form.match, [name]: target.value } })}
            />
          </FormField>
        ))}
      </div>
      <p className="text-small text-ink-3">{ruleText.form.matchHint}</p>
    </>
  );
}

function AdvancedFields({ form, onChange }: Fields) {
  const isUsed = useHasBeenTrue(form.when !== '' || form.rest !== '');
  return (
    <details className="rounded-control border border-line px-3 py-2" open={isUsed}>
      <summary className="cursor-pointer text-ui text-ink-2">{ruleText.form.advanced}</summary>
      <div className="mt-3 grid gap-4">
        <FormField name="when" label={ruleText.form.condition} optional hint={ruleText.form.conditionHint}>
          <CodeArea
            rows={2}
            value={form.when}
            placeholder={'repository.branch == "main"'}
            onChange={({ target }) => onChange({ when: target.value })}
          />
        </FormField>
        <FormField name="rest" label={ruleText.form.rest} optional hint={ruleText.form.restHint}>
          <CodeArea
            rows={5}
            value={form.rest}
            placeholder={'{"who": {"teams": ["search"]}}'}
            onChange={({ target }) => onChange({ rest: target.value })}
          />
        </FormField>
        <FormField name="on_error" label={ruleText.form.onError}>
          <Select
            choices={[
              { value: 'open', label: ruleText.form.onErrorOpen },
              { value: 'closed', label: ruleText.form.onErrorClosed },
            ]}
            value={form.onError}
            onChange={({ target }) => onChange({ onError: target.value === 'closed' ? 'closed' : 'open' })}
          />
        </FormField>
      </div>
    </details>
  );
}
