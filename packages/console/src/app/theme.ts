export type Theme = 'system' | 'light' | 'dark';
export type Density = 'compact' | 'comfortable';

/** Saves the theme in the browser. public/theme.js reads it before the first paint. */
export function setTheme(theme: Theme): void {
  const { dataset } = document.documentElement;
  if (theme === 'system') {
    delete dataset['theme'];
    localStorage.removeItem('floe.theme');
  } else {
    dataset['theme'] = theme;
    localStorage.setItem('floe.theme', theme);
  }
}

export function currentDensity(): Density {
  return document.documentElement.dataset['density'] === 'comfortable' ? 'comfortable' : 'compact';
}

export function setDensity(density: Density): Density {
  const { dataset } = document.documentElement;
  if (density === 'comfortable') dataset['density'] = density;
  else delete dataset['density'];
  localStorage.setItem('floe.density', density);
  return density;
}
