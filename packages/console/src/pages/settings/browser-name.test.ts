import assert from 'node:assert/strict';
import { test } from 'node:test';
import { describeBrowser } from './browser-name.ts';

test('a session is described by its browser and operating system, and other programs by their own name', () => {
  const webKit = 'AppleWebKit/537.36 (KHTML, like Gecko)';
  const cases = [
    [`Mozilla/5.0 (X11; Linux x86_64) ${webKit} Chrome/156.0.0.0 Safari/537.36`, 'Chrome on Linux'],
    [`Mozilla/5.0 (X11; Linux x86_64) ${webKit} HeadlessChrome/156.0.0.0 Safari/537.36`, 'Chrome on Linux'],
    [
      `Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${webKit} Chrome/156.0.0.0 Safari/537.36 Edg/156.0`,
      'Edge on Windows',
    ],
    [
      'Mozilla/5.0 (iPhone; CPU iPhone OS 26_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/26.0 EdgiOS/145.0 Mobile/15E148 Safari/605.1.15',
      'Edge on iOS',
    ],
    [
      'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/26.0 Safari/605.1.15',
      'Safari on macOS',
    ],
    [
      'Mozilla/5.0 (iPhone; CPU iPhone OS 26_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/26.0 Mobile/15E148 Safari/604.1',
      'Safari on iOS',
    ],
    ['Mozilla/5.0 (Android 15; Mobile; rv:145.0) Gecko/145.0 Firefox/145.0', 'Firefox on Android'],
    ['curl/8.14.1', 'curl/8.14.1'],
    ['', ''],
  ] as const;
  for (const [userAgent, name] of cases) assert.equal(describeBrowser(userAgent), name);
});
