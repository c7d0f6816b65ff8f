import { useState } from 'react';
import { getRowDensity, setRowDensity, setTheme, type Theme } from '../../app/appearance.ts';
import { Card } from '../../ui/cards.tsx';
import { SegmentedControl } from '../../ui/tabs.tsx';
import { Switch } from '../../ui/toggles.tsx';
import { settingsText } from './text.ts';

const THEMES: readonly { readonly id: Theme; readonly label: string }[] = [
  { id: 'system', label: settingsText.appearance.themes.system },
  { id: 'light', label: settingsText.appearance.themes.light },
  { id: 'dark', label: settingsText.appearance.themes.dark },
];

/** Lets the user select the theme and row height of the console. The browser stores the selection. */
export function AppearanceSection() {
  const [theme, setShown] = useState(themeNow);
  const [density, setRows] = useState(getRowDensity);
  const choose = (id: string) => {
    const found = THEMES.find((one) => one.id === id)?.id ?? 'system';
    setTheme(found);
    setShown(found);
  };
  return (
    <Card title={settingsText.appearance.title} aside={settingsText.appearance.aside}>
      <div className="grid gap-5">
        <div className="grid gap-1.5">
          <span className="text-label text-ink-2">{settingsText.appearance.theme}</span>
          <div>
            <SegmentedControl
              label={settingsText.appearance.theme}
              options={THEMES}
              value={theme}
              onChange={choose}
            />
          </div>
        </div>
        <Switch
          label={settingsText.appearance.comfortableRows}
          hint={settingsText.appearance.comfortableRowsHint}
          checked={density === 'comfortable'}
          onChange={(on) => setRows(setRowDensity(on ? 'comfortable' : 'compact'))}
        />
      </div>
    </Card>
  );
}

function themeNow(): Theme {
  const theme = document.documentElement.dataset['theme'];
  return theme === 'light' || theme === 'dark' ? theme : 'system';
}
