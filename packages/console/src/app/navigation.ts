import {
  Activity,
  BadgeCheck,
  Bell,
  BookOpen,
  Box,
  ChartLine,
  CircleGauge,
  Database,
  FileClock,
  Gavel,
  HeartPulse,
  KeyRound,
  LayoutDashboard,
  LayoutGrid,
  List,
  type LucideIcon,
  Megaphone,
  Plug,
  Route,
  Server,
  Settings,
  ShieldCheck,
  SquareTerminal,
  Unplug,
  Users,
  Wallet,
  Wrench,
} from 'lucide-react';
import type { OrgPath } from './use-org-navigate.ts';

/** A link in the sidebar. */
export interface NavigationEntry {
  readonly label: string;
  readonly path: OrgPath;
  readonly icon: LucideIcon;
  /** The key to press after `g` to open this page. */
  readonly key?: string;
}

/** A group of links in the sidebar. */
export interface NavigationGroup {
  readonly label: string | null;
  readonly entries: readonly NavigationEntry[];
}

/**
 * All navigation entries in order. An entry is shown only if the page index contains a page with its path.
 */
const NAVIGATION: readonly NavigationGroup[] = [
  { label: null, entries: [{ label: 'Overview', path: '/overview', icon: LayoutDashboard, key: 'o' }] },
  {
    label: 'Gateway',
    entries: [
      { label: 'Requests', path: '/requests', icon: List, key: 'r' },
      { label: 'Analytics', path: '/analytics', icon: ChartLine, key: 'a' },
      { label: 'Playground', path: '/playground', icon: SquareTerminal, key: 'p' },
      { label: 'Connect', path: '/connect', icon: Plug, key: 'c' },
    ],
  },
  {
    label: 'Monitoring',
    entries: [
      { label: 'Monitors', path: '/monitors', icon: HeartPulse, key: 'm' },
      { label: 'Boards', path: '/boards', icon: LayoutGrid },
      { label: 'Channels', path: '/channels', icon: Megaphone },
      { label: 'Alerts', path: '/alerts', icon: Bell },
      { label: 'Maintenance', path: '/maintenance', icon: Wrench },
    ],
  },
  {
    label: 'Management',
    entries: [
      { label: 'Providers', path: '/management/providers', icon: Server },
      { label: 'Models', path: '/management/models', icon: Box },
      { label: 'Routes', path: '/management/routes', icon: Route },
      { label: 'Cache', path: '/management/cache', icon: Database },
      { label: 'Limits', path: '/management/limits', icon: CircleGauge },
      { label: 'Budgets', path: '/management/budgets', icon: Wallet },
      { label: 'Breakers', path: '/management/breakers', icon: Unplug, key: 'b' },
      { label: 'Policies', path: '/management/policies', icon: ShieldCheck },
      { label: 'Keys', path: '/management/keys', icon: KeyRound },
      { label: 'Members', path: '/management/members', icon: Users },
      { label: 'Audit log', path: '/management/audit', icon: FileClock },
      { label: 'Settings', path: '/management/settings', icon: Settings },
    ],
  },
  {
    label: 'Relay',
    entries: [
      { label: 'Decisions', path: '/relay/decisions', icon: Gavel },
      { label: 'Rules', path: '/relay/rules', icon: BookOpen },
      { label: 'Approvals', path: '/relay/approvals', icon: BadgeCheck },
      { label: 'Hook coverage', path: '/relay/coverage', icon: Activity },
    ],
  },
];

/**
 * Returns the navigation groups without the entries whose page does not exist. `paths` contains the paths of
 * all pages.
 */
export function buildNavigation(paths: ReadonlySet<string>): readonly NavigationGroup[] {
  return NAVIGATION.map((group) => ({
    ...group,
    entries: group.entries.filter(({ path }) => paths.has(path)),
  })).filter(({ entries }) => entries.length > 0);
}
