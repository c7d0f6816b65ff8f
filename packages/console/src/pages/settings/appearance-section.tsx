import { useState } from 'react';
import { currentDensity, setDensity, setTheme, type Theme } from '../../app/theme.ts';
import { Card } from '../../ui/cards.tsx';
import { SegmentedControl } from '../../ui/tabs.tsx';
import { Switch } from '../../ui/toggles.tsx';

const THEMES: readonly { readonly id: Theme; readonly label: string }[] = [
  { id: 'system', label: 'As the system' },
  { id: 'light', label: 'Light' },
  { id: 'dark', label: 'Dark' },
];

/** How the console looks in this browser. */
export function AppearanceSection() {
  const [theme, setShown] = useState(themeNow);
  const [density, setRows] = useState(currentDensity);
  const choose = (id: string) => {
    const found = THEMES.find((one) => one.id === id)?.id ?? 'system';
    setTheme(found);
    setShown(found);
  };
  return (
    <Card title="Appearance" aside="Kept in this browser">
      <div className="grid gap-5">
        <div className="grid gap-1.5">
          <span className="text-label text-ink-2">Theme</span>
          <div>
            <SegmentedControl label="Theme" options={THEMES} value={theme} onChange={choose} />
          </div>
        </div>
        <Switch
          label="Comfortable rows"
          hint="Lists are a quarter higher."
          checked={density === 'comfortable'}
          onChange={(on) => setRows(setDensity(on ? 'comfortable' : 'compact'))}
        />
      </div>
    </Card>
  );
}

function themeNow(): Theme {
  const theme = document.documentElement.dataset['theme'];
  return theme === 'light' || theme === 'dark' ? theme : 'system';
}
