// Runs before the first paint: the chosen theme must not flash. A file of its own, because the policy of the
// page allows no inline script.
try {
  const theme = localStorage.getItem('floe.theme');
  if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme;
  const density = localStorage.getItem('floe.density');
  if (density === 'comfortable') document.documentElement.dataset.density = density;
} catch {
  // Storage is switched off: the system's theme stands.
}

// During an upgrade, the files of the page can be missing, because another process with another version serves them.
addEventListener(
  'error',
  ({ target }) => {
    const place = document.getElementById('console');
    if (!(target instanceof HTMLScriptElement || target instanceof HTMLLinkElement) || place?.hasChildNodes())
      return;
    if (place) place.textContent = 'The console could not be loaded. Trying again in 5 seconds.';
    setTimeout(() => location.reload(), 5000);
  },
  true,
);
