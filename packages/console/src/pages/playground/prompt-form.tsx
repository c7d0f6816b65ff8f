import { ImagePlus, Plus, Trash2, X } from 'lucide-react';
import { type Dispatch, type DragEvent, type SetStateAction, useRef } from 'react';
import { Button, IconButton } from '../../ui/button.tsx';
import { CodeArea, Field, Input, TextArea } from '../../ui/field.tsx';
import { showToast } from '../../ui/toast.tsx';
import { Checkbox } from '../../ui/toggles.tsx';
import { usePersistedOpen } from '../../ui/use-persisted-open.ts';
import { EXAMPLE_TOOLS, type PlaygroundPrompt, type PromptTurn, type promptProblem } from './chat-request.ts';

const WORDS = { user: 'User', assistant: 'Assistant', tool: 'Tool result' } as const;
/** What the browser reads of one picture; the gateway has limits of its own. */
const IMAGE_BYTES = 8 * 1024 * 1024;

/** What is asked: instructions, the conversation, parameters and tools. */
export function PromptForm({
  prompt,
  problem,
  onChange,
}: {
  readonly prompt: PlaygroundPrompt;
  readonly problem: ReturnType<typeof promptProblem>;
  readonly onChange: Dispatch<SetStateAction<PlaygroundPrompt>>;
}) {
  const told = (field: string) => (problem?.field === field ? problem.text : null);
  const turn = (at: number, next: PromptTurn | null) =>
    onChange({
      ...prompt,
      turns: prompt.turns.flatMap((old, index) => (index !== at ? [old] : next ? [next] : [])),
    });
  return (
    <div className="grid content-start gap-4">
      <Field label="System" optional>
        <TextArea
          rows={2}
          value={prompt.system}
          placeholder="You are …"
          onChange={({ target }) => onChange({ ...prompt, system: target.value })}
        />
      </Field>
      {prompt.turns.map((one, index) => (
        <TurnField
          // biome-ignore lint/suspicious/noArrayIndexKey: turns have no name but their place.
          key={index}
          turn={one}
          error={index === prompt.turns.length - 1 ? told('turns') : null}
          onChange={(next) => turn(index, next)}
          onPictures={(urls) => onChange((now) => withPictures(now, index, urls))}
          onRemove={prompt.turns.length > 1 ? () => turn(index, null) : null}
        />
      ))}
      <div>
        <Button
          look="quiet"
          icon={Plus}
          onClick={() => onChange({ ...prompt, turns: [...prompt.turns, nextTurn(prompt)] })}
        >
          Add a message
        </Button>
      </div>
      <Parameters prompt={prompt} told={told} onChange={onChange} />
    </div>
  );
}

/** While pictures were read somebody may have typed on. */
function withPictures(prompt: PlaygroundPrompt, at: number, urls: readonly string[]): PlaygroundPrompt {
  const turns = prompt.turns.map((turn, index) =>
    index === at ? { ...turn, images: [...new Set([...(turn.images ?? []), ...urls])] } : turn,
  );
  return { ...prompt, turns };
}

function nextTurn({ turns }: PlaygroundPrompt): PromptTurn {
  return { role: turns.at(-1)?.role === 'user' ? 'assistant' : 'user', text: '' };
}

function TurnField({
  turn,
  error,
  onChange,
  onPictures,
  onRemove,
}: {
  readonly turn: PromptTurn;
  readonly error: string | null;
  readonly onChange: (turn: PromptTurn) => void;
  readonly onPictures: (urls: readonly string[]) => void;
  readonly onRemove: (() => void) | null;
}) {
  const take = (files: readonly File[]) => {
    const pictures = files.filter(isPicture);
    if (pictures.length < files.length) showToast('Only pictures of up to 8 MB can be added.');
    Promise.all(pictures.map(dataUrl)).then(onPictures, (error: unknown) =>
      showToast(error instanceof Error ? error.message : 'The picture could not be read.'),
    );
  };
  const drop = (event: DragEvent) => {
    if (turn.role !== 'user' || event.dataTransfer.files.length === 0) return;
    event.preventDefault();
    take([...event.dataTransfer.files]);
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: dropping is a shortcut; the button beside does the same by keyboard.
    <div onDrop={drop} onDragOver={(event) => event.preventDefault()} className="relative">
      <Field label={WORDS[turn.role]} error={error}>
        <TextArea
          rows={turn.role === 'user' ? 4 : 2}
          value={turn.text}
          placeholder={turn.role === 'user' ? 'Say hello' : ''}
          onChange={({ target }) => onChange({ ...turn, text: target.value })}
        />
      </Field>
      <span className="absolute -top-2 right-0 flex pointer-coarse:-top-5">
        {turn.role === 'user' && <PicturePicker onPick={take} />}
        {onRemove && (
          <IconButton
            icon={Trash2}
            label="Remove this message"
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
        <Pictures images={turn.images} onChange={(images) => onChange({ ...turn, images })} />
      )}
    </div>
  );
}

function PicturePicker({ onPick }: { readonly onPick: (files: readonly File[]) => void }) {
  const picker = useRef<HTMLInputElement>(null);
  return (
    <>
      <input
        ref={picker}
        type="file"
        accept="image/*"
        multiple
        hidden
        onChange={({ target }) => {
          onPick([...(target.files ?? [])]);
          // The same picture again is another choice.
          target.value = '';
        }}
      />
      <IconButton
        icon={ImagePlus}
        label="Add a picture"
        onClick={() => picker.current?.click()}
        className="size-6! pointer-coarse:size-10!"
      />
    </>
  );
}

function Pictures({
  images,
  onChange,
}: {
  readonly images: readonly string[];
  readonly onChange: (images: readonly string[]) => void;
}) {
  return (
    <ul className="mt-2 flex flex-wrap gap-2">
      {images.map((url, index) => (
        <li key={url} className="relative">
          <img
            src={url}
            alt={`Attached ${index + 1}`}
            className="size-16 rounded-control border border-line object-cover"
          />
          <IconButton
            icon={X}
            label={`Remove picture ${index + 1}`}
            onClick={() => onChange(images.filter((other) => other !== url))}
            className="absolute! -top-2 -right-2 size-6 rounded-full! border border-line bg-surface"
          />
        </li>
      ))}
    </ul>
  );
}

function Parameters({
  prompt,
  told,
  onChange,
}: {
  readonly prompt: PlaygroundPrompt;
  readonly told: (field: string) => string | null;
  readonly onChange: (prompt: PlaygroundPrompt) => void;
}) {
  const isUsed = prompt.tools !== '' || prompt.schema !== '';
  const isOpen = usePersistedOpen(isUsed || told('tools') !== null || told('schema') !== null);
  return (
    <details className="rounded-control border border-line" open={isOpen}>
      <summary className="flex min-h-9 items-center px-3 text-ui text-ink-2 hover:text-ink">
        Parameters and tools
      </summary>
      <div className="grid gap-3 border-t border-line p-3">
        <div className="grid grid-cols-2 gap-3">
          <Field label="Temperature" optional error={told('temperature')}>
            <Input
              inputMode="decimal"
              value={prompt.temperature}
              placeholder="as the model has it"
              onChange={({ target }) => onChange({ ...prompt, temperature: target.value.trim() })}
            />
          </Field>
          <Field label="Most output tokens" optional error={told('max_tokens')}>
            <Input
              inputMode="numeric"
              value={prompt.maxTokens}
              placeholder="as the model has it"
              onChange={({ target }) => onChange({ ...prompt, maxTokens: target.value.trim() })}
            />
          </Field>
        </div>
        <Checkbox
          checked={prompt.json}
          onChange={(json) => onChange({ ...prompt, json })}
          label="Answer in JSON"
        />
        <SchemaField prompt={prompt} error={told('schema')} onChange={onChange} />
        <Field label="Tools" optional error={told('tools')} hint="A JSON list, as Chat Completions has it.">
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
    <Field label="JSON Schema" optional error={error} hint="What the answer must fit.">
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
        Fill in an example
      </Button>
    </div>
  );
}

function isPicture({ type, size }: File): boolean {
  return type.startsWith('image/') && size <= IMAGE_BYTES;
}

function dataUrl(file: File): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result));
    reader.onerror = () => reject(new Error('The picture could not be read.'));
    reader.readAsDataURL(file);
  });
}
