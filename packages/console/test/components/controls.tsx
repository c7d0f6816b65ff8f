import { Copy } from 'lucide-react';
import { useState } from 'react';
import { Button, IconButton } from '../../src/ui/button.tsx';
import { CodeBlock } from '../../src/ui/code-block.tsx';
import { JsonView } from '../../src/ui/json-view.tsx';
import { RadioGroup } from '../../src/ui/radio-group.tsx';
import { SegmentedControl, Tabs } from '../../src/ui/tabs.tsx';
import { Checkbox, Switch } from '../../src/ui/toggles.tsx';
import { useReportLog } from './report-log.tsx';

export function Buttons() {
  const [told, tell] = useReportLog();
  return (
    <main>
      <Button onClick={() => tell('saved')}>Save</Button>
      <Button busy onClick={() => tell('sent')}>
        Send
      </Button>
      <Button disabled onClick={() => tell('off')}>
        Off
      </Button>
      <Button needs="management" onClick={() => tell('deleted')}>
        Delete
      </Button>
      <IconButton icon={Copy} label="Copy id" needs="management" onClick={() => tell('copied')} />
      {told}
    </main>
  );
}

export function Toggles() {
  const [told, tell] = useReportLog();
  const [checked, setChecked] = useState(false);
  return (
    <main>
      <Checkbox
        label="Stream"
        hint="Answers as they come"
        checked={checked}
        onChange={(on) => {
          setChecked(on);
          tell(`stream ${on}`);
        }}
      />
      <Checkbox label="Stored" checked disabled onChange={() => tell('stored')} />
      <Switch label="Enforce" checked={checked} onChange={setChecked} />
      <Switch label="Locked" checked={false} disabled onChange={() => tell('locked')} />
      {told}
    </main>
  );
}

export function ChoiceCards() {
  const [mode, setMode] = useState<'observe' | 'enforce'>('observe');
  return (
    <main>
      <RadioGroup
        label="Mode"
        value={mode}
        onChange={setMode}
        options={[
          { id: 'observe', label: 'Observe', does: 'Only counts' },
          { id: 'enforce', label: 'Enforce', does: 'Refuses' },
        ]}
      />
    </main>
  );
}

export function TabsAndSegments() {
  const [range, setRange] = useState('24h');
  return (
    <main>
      <Tabs
        label="Parts"
        tabs={[
          { id: 'attempts', label: 'Attempts', count: 2, content: 'Two attempts' },
          { id: 'body', label: 'Body', content: 'The body' },
          { id: 'costs', label: 'Costs', content: 'The costs' },
        ]}
      />
      <SegmentedControl
        label="Range"
        value={range}
        onChange={setRange}
        options={[
          { id: '24h', label: '24 h' },
          { id: '7d', label: '7 d' },
        ]}
      />
    </main>
  );
}

export function CodeBlocks() {
  return (
    <main>
      <CodeBlock
        snippets={[
          { label: 'curl', code: 'curl http://127.0.0.1' },
          { label: 'Python', code: 'print("hello")' },
        ]}
      />
      <CodeBlock
        snippets={[
          { label: 'curl', code: 'curl http://127.0.0.1/v1' },
          { label: 'Python', code: 'print("bye")' },
        ]}
      />
    </main>
  );
}

export function JsonViews() {
  const list = Array.from({ length: 120 }, (_, index) => index);
  return (
    <main>
      <JsonView label="body" value={{ model: 'echo', deep: { deeper: { deepest: true } }, list, none: {} }} />
    </main>
  );
}
