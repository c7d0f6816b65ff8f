import type { Board } from '@floe/contract/api/boards';
import type { ConsoleResourceKind } from '../../data/resource-kind.ts';
import { boardsText } from './text.ts';

/** The form values of a group of monitors on a board. */
export interface BoardGroupFormValues {
  /** Identifies the group while it is moved or renamed. Not sent to the API. */
  readonly key: string;
  readonly name: string;
  readonly monitors: readonly string[];
}

/** The form values of a board. */
export interface BoardFormValues {
  readonly slug: string;
  readonly name: string;
  readonly public: boolean;
  /** Time zone. Empty means the organization default. */
  readonly timezone: string;
  readonly groups: readonly BoardGroupFormValues[];
}

/** Returns the initial form values of a new board. Its URL path differs from those of the given boards. */
export function createBoardFormValues(boards: readonly Pick<Board, 'slug'>[]): BoardFormValues {
  const taken = new Set(boards.map(({ slug }) => slug));
  let slug = 'status';
  for (let next = 2; taken.has(slug); next += 1) slug = `status-${next}`;
  return {
    slug,
    name: '',
    public: false,
    timezone: '',
    groups: [{ key: '0', name: boardsText.groups.defaultName, monitors: [] }],
  };
}

function boardFormOf({ slug, name, public: open, timezone, groups }: Board): BoardFormValues {
  const keyed = groups.map((group, at) => ({ key: String(at), ...group }));
  return { slug, name, public: open, timezone: timezone ?? '', groups: keyed };
}

/** Converts the form to the request body. */
export function toBoardBody({ slug, name, public: open, timezone, groups }: BoardFormValues) {
  return {
    slug: slug.trim(),
    // The title defaults to the slug.
    name: name.trim() || slug.trim(),
    public: open,
    timezone: timezone === '' ? null : timezone,
    groups: groups.map((group) => ({ name: group.name.trim(), monitors: [...group.monitors] })),
  };
}

/** The resource kind of boards. The list and the editor use it. */
export const BOARD_RESOURCE_KIND: ConsoleResourceKind<Board, BoardFormValues> = {
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

/** Returns the groups of a board after a change to some fields of the group with the key `key`. */
export function updateBoardGroup(
  groups: readonly BoardGroupFormValues[],
  key: string,
  change: Partial<BoardGroupFormValues>,
): readonly BoardGroupFormValues[] {
  return groups.map((group) => (group.key === key ? { ...group, ...change } : group));
}
