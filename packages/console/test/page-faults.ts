import type { Page } from 'playwright-core';

/**
 * Writes down what no page of Floe may do, from now on: break its policy, throw, ask somebody else for something, or lead
 * anywhere but below `url`. The list fills as it happens.
 */
export async function collectPageFaults(page: Page, url: string): Promise<readonly string[]> {
  const faults: string[] = [];
  const tell = (fault: string) => {
    if (!faults.includes(fault)) faults.push(fault);
  };
  await page.exposeFunction('tellFault', tell);
  await page.addInitScript(`document.addEventListener('securitypolicyviolation', (event) =>
    tellFault('policy broken: ' + event.violatedDirective + ' ' + event.blockedURI + ' on ' + location.pathname))`);
  // Every link that is ever drawn, as the browser resolves it.
  await page.addInitScript(`{
    const base = ${JSON.stringify(`${url}/`)};
    const look = () => {
      for (const link of document.querySelectorAll('a[href], form[action], img[src], link[href], script[src]')) {
        const address = link.href || link.action || link.src;
        const isHere = address.startsWith(base) || address.startsWith('data:') || address.startsWith('blob:');
        if (!isHere && !link.hasAttribute('data-away')) tellFault('leads out: ' + address + ' on ' + location.pathname);
      }
    };
    const begin = () => new MutationObserver(look).observe(document, { subtree: true, childList: true, attributes: true, attributeFilter: ['href', 'src', 'action'] });
    begin();
    document.addEventListener('DOMContentLoaded', look);
  }`);
  page.on('pageerror', ({ message }) => tell(`script error: ${message}`));
  page.on('console', (message) => {
    const said = message.text();
    // What an address of something that is not there answers is the browser's own line; a preview that may run no
    // scripts refuses the one that is put in above.
    if (message.type() !== 'error' || /^Failed to load resource|'about:srcdoc'/.test(said)) return;
    tell(`console: ${said}`);
  });
  page.on('request', (request) => {
    const asked = request.url();
    if (!asked.startsWith(`${url}/`) && !asked.startsWith('data:') && !asked.startsWith('blob:'))
      tell(`foreign request: ${asked}`);
  });
  return faults;
}
