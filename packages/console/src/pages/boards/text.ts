import { formatCountWithNoun } from '../../format/words.ts';

/** All text on the Boards pages. */
export const boardsText = {
  page: {
    title: 'Boards',
    newTitle: 'Create board',
    editTitle: (slug: string) => `Edit board ${slug}`,
    resource: 'board',
    emptyTitle: 'No boards',
    empty:
      'A board is a status page for selected monitors. A public board can be viewed without signing in. Create a board and add monitors to it.',
  },
  columns: {
    name: 'Name',
    visibility: 'Visibility',
    url: 'URL',
    monitors: 'Monitors',
    source: 'Source',
    public: 'Anyone with the link',
    private: 'Members only',
    newTab: 'opens in a new tab',
    copyLink: (slug: string) => `Copy link to board ${slug}`,
    monitorCount: (count: number) => formatCountWithNoun(count, 'monitor'),
  },
  form: {
    title: 'Title',
    slug: 'URL path',
    slugHint: {
      public: (slug: string) => `The board is published at /boards/${slug}.`,
      private: (slug: string) => `Members can open the board at /boards/${slug}.`,
    },
    timezone: 'Time zone',
    orgTimezone: 'Organization default',
    public: 'Public',
    publicHint:
      'Anyone with the link sees names, statuses and downtime. Descriptions, metadata and errors are never shown.',
    created: (name: string) => `Board ${name} was created.`,
    saved: (name: string) => `Board ${name} was saved.`,
    deleteTitle: (name: string) => `Delete board “${name}”?`,
    deleteEffect: 'Its URL will return status 404 within seconds. Its monitors are not deleted.',
  },
  groups: {
    defaultName: 'Scheduled jobs',
    newName: 'New group',
    label: (position: number) => `Group ${position}`,
    moved: (name: string, position: number, count: number) => `${name}, position ${position} of ${count}`,
    moveUp: (name: string) => `Move group ${name} up`,
    moveDown: (name: string) => `Move group ${name} down`,
    remove: (name: string) => `Remove group ${name}`,
    add: 'Add group',
    monitors: (name: string) => `Monitors in ${name}, in order`,
    removeMonitor: (name: string) => `Remove monitor ${name}`,
    addMonitor: (name: string) => `Add a monitor to ${name}`,
    monitorPlaceholder: 'Search monitors',
  },
  preview: {
    title: 'Preview',
    frame: 'Preview of the board',
    width: 'Preview width',
    theme: 'Preview theme',
    desktop: 'Desktop',
    phone: 'Phone',
    light: 'Light',
    dark: 'Dark',
  },
  sharing: {
    title: 'Share board',
    open: 'Open board',
    link: 'Link',
    badge: 'Badge',
    json: 'JSON',
  },
} as const;
