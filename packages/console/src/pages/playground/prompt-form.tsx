import { ChevronRight, Plus, Trash2 } from 'lucide-react';
import type { Dispatch, DragEvent, SetStateAction } from 'react';
import { Button, IconButton } from '../../ui/button.tsx';
import { CodeArea, Field, Input, TextArea } from '../../ui/field.tsx';
import { showToast } from '../../ui/toast.tsx';
import { Checkbox } from '../../ui/toggles.tsx';
import { useHasBeenTrue } from '../../ui/use-has-been-true.ts';
import {
  EXAMPLE_TOOLS,
  type PlaygroundMessage,
  type PlaygroundPrompt,
  type validatePrompt,
} from './chat-request.ts';
import { ImagePicker, isAcceptedImageFile, PromptImages, readFileAsDataUrl } from './prompt-images.tsx';
import { playgroundText } from './text.ts';

/** Renders the form of the prompt: system instructions, messages, parameters and tools. */
export function PromptForm({
  prompt,
  problem,
  onChange,
}: {
  readonly prompt: PlaygroundPrompt;
  readonly problem: ReturnType<typeof validatePrompt>;
  readonly onChange: Dispatch<SetStateAction<PlaygroundPrompt>>;
}) {
  const problemOf = (field: string) => (problem?.field === field ? problem.text : null);
  const turn = (at: number, next: PlaygroundMessage | null) =>
    onChange({
      ...prompt,
      turns: prompt.turns.flatMap((old, index) => (index !== at ? [old] : next ? [next] : [])),
    });
  return (
    <div className="grid content-start gap-4">
      <Field label={playgroundText.prompt.system} optional>
        <TextArea
          rows={2}
          value={prompt.system}
          placeholder={playgroundText.prompt.systemPlaceholder}
          onChange={({ target }) => onChange({ ...prompt, system: target.value })}
        />
      </Field>
      {prompt.turns.map((one, index) => (
        <TurnField
          // biome-ignore lint/suspicious/noArrayIndexKey: messages are identified by their position.
          key={index}
          turn={one}
          error={index === prompt.turns.length - 1 ? problemOf('turns') : null}
          onChange={(next) => turn(index, next)}
          onImages={(urls) => onChange((now) => addImages(now, index, urls))}
          onRemove={prompt.turns.length > 1 ? () => turn(index, null) : null}
        />
      ))}
      <div>
        <Button
          look="quiet"
          icon={Plus}
          onClick={() => onChange({ ...prompt, turns: [...prompt.turns, nextTurn(prompt)] })}
        >
          {playgroundText.prompt.addMessage}
        </Button>
      </div>
      <Parameters prompt={prompt} problemOf={problemOf} onChange={onChange} />
    </div>
  );
}

/** Adds images to the current prompt. The prompt may have changed while the images were read. */
function addImages(prompt: PlaygroundPrompt, at: number, urls: readonly string[]): PlaygroundPrompt {
  const turns = prompt.turns.map((turn, index) =>
    index === at ? { ...turn, images: [...new Set([...(turn.images ?? []), ...urls])] } : turn,
  );
  return { ...prompt, turns };
}

function nextTurn({ turns }: PlaygroundPrompt): PlaygroundMessage {
  return { role: turns.at(-1)?.role === 'user' ? 'assistant' : 'user', text: '' };
}

function TurnField({
  turn,
  error,
  onChange,
  onImages,
  onRemove,
}: {
  readonly turn: PlaygroundMessage;
  readonly error: string | null;
  readonly onChange: (turn: PlaygroundMessage) => void;
  readonly onImages: (urls: readonly string[]) => void;
  readonly onRemove: (() => void) | null;
}) {
  const take = (files: readonly File[]) => {
    const images = files.filter(isAcceptedImageFile);
    if (images.length < files.length) showToast(playgroundText.prompt.imageRejected);
    Promise.all(images.map(readFileAsDataUrl)).then(onImages, (error: unknown) =>
      showToast(error instanceof Error ? error.message : playgroundText.prompt.imageUnreadable),
    );
  };
  const drop = (event: DragEvent) => {
    if (turn.role !== 'user' || event.dataTransfer.files.length === 0) return;
    event.preventDefault();
    take([...event.dataTransfer.files]);
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: dropping is a shortcut; keyboard users can use the button next to it.
    <div onDrop={drop} onDragOver={(event) => event.preventDefault()} className="relative">
      <Field label={playgroundText.roles[turn.role]} error={error}>
        <TextArea
          rows={turn.role === 'user' ? 4 : 2}
          value={turn.text}
          placeholder={turn.role === 'user' ? playgroundText.prompt.userPlaceholder : ''}
          onChange={({ target }) => onChange({ ...turn, text: target.value })}
        />
      </Field>
      <span className="absolute -top-2 right-0 flex pointer-coarse:-top-5">
        {turn.role === 'user' && <ImagePicker onPick={take} />}
        {onRemove && (
          <IconButton
            icon={Trash2}
            label={playgroundText.prompt.removeMessage}
            onClick={onRemove}
            className="size-6! pointer-coarse:size-10!"
          />
        )}
      </span>
      {turn.calls && turn.calls.length > 0 && (
        <p className="mt-1 font-mono text-code text-ink-2 break-all">
          {turn.calls.map(({ name, args }) => `${name}(${args})`).join(' ')}
        </p>
      )}
      {turn.images && turn.images.length > 0 && (
        <PromptImages images={turn.images} onChange={(images) => onChange({ ...turn, images })} />
      )}
    </div>
  );
}

function Parameters({
  prompt,
  problemOf,
  onChange,
}: {
  readonly prompt: PlaygroundPrompt;
  readonly problemOf: (field: string) => string | null;
  readonly onChange: (prompt: PlaygroundPrompt) => void;
}) {
  const isUsed = prompt.tools !== '' || prompt.schema !== '';
  const isOpen = useHasBeenTrue(isUsed || problemOf('tools') !== null || problemOf('schema') !== null);
  return (
    <details className="group rounded-control border border-line" open={isOpen}>
      <summary className="flex min-h-9 items-center gap-1.5 px-3 text-ui text-ink-2 hover:text-ink">
        <ChevronRight size={16} aria-hidden="true" className="text-ink-3 group-open:rotate-90" />
        {playgroundText.parameters.title}
      </summary>
      <div className="grid gap-3 border-t border-line p-3">
        <div className="grid grid-cols-2 gap-3">
          <Field label={playgroundText.parameters.temperature} optional error={problemOf('temperature')}>
            <Input
              inputMode="decimal"
              value={prompt.temperature}
              placeholder={playgroundText.parameters.modelDefault}
              onChange={({ target }) => onChange({ ...prompt, temperature: target.value.trim() })}
            />
          </Field>
          <Field label={playgroundText.parameters.maxTokens} optional error={problemOf('max_tokens')}>
            <Input
              inputMode="numeric"
              value={prompt.maxTokens}
              placeholder={playgroundText.parameters.modelDefault}
              onChange={({ target }) => onChange({ ...prompt, maxTokens: target.value.trim() })}
            />
          </Field>
        </div>
        <Checkbox
          checked={prompt.json}
          onChange={(json) => onChange({ ...prompt, json })}
          label={playgroundText.parameters.json}
        />
        <SchemaField prompt={prompt} error={problemOf('schema')} onChange={onChange} />
        <Field
          label={playgroundText.parameters.tools}
          optional
          error={problemOf('tools')}
          hint={playgroundText.parameters.toolsHelp}
        >
          <CodeArea
            rows={prompt.tools === '' ? 2 : 8}
            value={prompt.tools}
            onChange={({ target }) => onChange({ ...prompt, tools: target.value })}
          />
        </Field>
        <ToolsExample prompt={prompt} onChange={onChange} />
      </div>
    </details>
  );
}

function SchemaField({
  prompt,
  error,
  onChange,
}: {
  readonly prompt: PlaygroundPrompt;
  readonly error: string | null;
  readonly onChange: (prompt: PlaygroundPrompt) => void;
}) {
  if (!prompt.json) return null;
  return (
    <Field
      label={playgroundText.parameters.schema}
      optional
      error={error}
      hint={playgroundText.parameters.schemaHelp}
    >
      <CodeArea
        rows={prompt.schema === '' ? 2 : 6}
        value={prompt.schema}
        onChange={({ target }) => onChange({ ...prompt, schema: target.value })}
      />
    </Field>
  );
}

function ToolsExample({
  prompt,
  onChange,
}: {
  readonly prompt: PlaygroundPrompt;
  readonly onChange: (prompt: PlaygroundPrompt) => void;
}) {
  if (prompt.tools.trim() !== '') return null;
  return (
    <div>
      <Button look="quiet" onClick={() => onChange({ ...prompt, tools: EXAMPLE_TOOLS })}>
        {playgroundText.parameters.fillExample}
      </Button>
    </div>
  );
}
