import type { Board } from '@floe/contract/api/boards';
import type { ConsoleResourceKind } from '../../data/resource-kind.ts';
import { boardsText } from './text.ts';

export interface BoardGroupForm {
  /** Identifies the group while it is moved or renamed. */
  readonly key: string;
  readonly name: string;
  readonly monitors: readonly string[];
}

export interface BoardForm {
  readonly slug: string;
  readonly name: string;
  readonly public: boolean;
  /** Empty: the organization default. */
  readonly timezone: string;
  readonly groups: readonly BoardGroupForm[];
}

export const NEW_BOARD_FORM: BoardForm = {
  slug: 'status',
  name: '',
  public: false,
  timezone: '',
  groups: [{ key: '0', name: boardsText.groups.defaultName, monitors: [] }],
};

function boardFormOf({ slug, name, public: open, timezone, groups }: Board): BoardForm {
  const keyed = groups.map((group, at) => ({ key: String(at), ...group }));
  return { slug, name, public: open, timezone: timezone ?? '', groups: keyed };
}

/** The request body. */
export function toBoardBody({ slug, name, public: open, timezone, groups }: BoardForm) {
  return {
    slug: slug.trim(),
    // The slug is the default title.
    name: name.trim() || slug.trim(),
    public: open,
    timezone: timezone === '' ? null : timezone,
    groups: groups.map((group) => ({ name: group.name.trim(), monitors: [...group.monitors] })),
  };
}

/** The board resource, for the list and the editor. */
export const BOARD_RESOURCE: ConsoleResourceKind<Board, BoardForm> = {
  one: boardsText.page.resource,
  path: 'api/monitoring/boards',
  touches: [['boards']],
  needs: 'monitoring',
  formOf: boardFormOf,
  bodyOf: toBoardBody,
  removal: ({ name, slug }) => ({
    title: boardsText.form.deleteTitle(name),
    effect: boardsText.form.deleteEffect,
    typed: slug,
  }),
};

/** The groups with one of them changed. */
export function updateBoardGroup(
  groups: readonly BoardGroupForm[],
  key: string,
  change: Partial<BoardGroupForm>,
): readonly BoardGroupForm[] {
  return groups.map((group) => (group.key === key ? { ...group, ...change } : group));
}
