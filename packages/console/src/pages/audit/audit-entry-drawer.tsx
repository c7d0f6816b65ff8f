import type { AuditEntry } from '@floe/contract/api/audit';
import { ChevronDown, ChevronUp, X } from 'lucide-react';
import { OrgLink } from '../../app/org-link.tsx';
import { formatFullDateTime, getBrowserTimeZone } from '../../format/times.ts';
import { IconButton } from '../../ui/button.tsx';
import { DetailList } from '../../ui/cards.tsx';
import { FieldChangeList } from '../../ui/conflict-notice.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { Drawer } from '../../ui/drawer.tsx';
import { LONGEST_AUDIT_RANGE } from './audit-data.ts';
import { formatActorName, formatAuditEntryTitle, listAuditFieldChanges } from './audit-entry.ts';
import { auditText } from './text.ts';

/** Shows one change: all fields before and after it, and its entry in the hash chain. */
export function AuditEntryDrawer({
  entry,
  onClose,
  onPrevious,
  onNext,
}: {
  readonly entry: AuditEntry;
  readonly onClose: () => void;
  readonly onPrevious: () => void;
  readonly onNext: () => void;
}) {
  return (
    <Drawer title={auditText.drawer.title} about={entry.id} onClose={onClose}>
      <div className="flex items-start gap-2 px-4 pt-3 md:px-6">
        <h2 className="min-w-0 flex-1 text-body font-semibold break-words">{formatAuditEntryTitle(entry)}</h2>
        <div className="flex">
          <IconButton icon={ChevronUp} label={auditText.page.previousChange} keys="k" onClick={onPrevious} />
          <IconButton icon={ChevronDown} label={auditText.page.nextChange} keys="j" onClick={onNext} />
          <IconButton icon={X} label={auditText.drawer.close} keys="Esc" onClick={onClose} />
        </div>
      </div>
      <div className="grid gap-5 px-4 pt-2 pb-8 md:px-6">
        <DetailList
          items={[
            [auditText.drawer.time, formatFullDateTime(new Date(entry.at), getBrowserTimeZone(), true)],
            [auditText.drawer.actor, <Actor key="actor" entry={entry} />],
            [
              auditText.drawer.action,
              <code key="action" className="font-mono text-code">
                {entry.action}
              </code>,
            ],
            [auditText.drawer.ipAddress, entry.ip_address],
            [auditText.drawer.session, entry.session_id],
            [auditText.drawer.subject, <Subject key="subject" id={entry.subject} />],
            [auditText.drawer.reason, entry.reason],
            [auditText.drawer.entry, entry.seq],
            [
              auditText.drawer.hash,
              entry.hash && (
                <span className="flex items-center gap-1">
                  <code className="min-w-0 truncate font-mono text-code">{entry.hash}</code>
                  <CopyButton text={entry.hash} label={auditText.drawer.copyHash} />
                </span>
              ),
            ],
          ]}
        />
        <section className="grid gap-2">
          <h3 className="text-body font-semibold">{auditText.drawer.fields}</h3>
          <FieldChangeList changes={listAuditFieldChanges(entry)} />
        </section>
      </div>
    </Drawer>
  );
}

function Actor({ entry }: { readonly entry: AuditEntry }) {
  return (
    <>
      {formatActorName(entry)}{' '}
      <OrgLink
        to="/management/audit"
        search={{ actor: entry.actor, range: LONGEST_AUDIT_RANGE }}
        className="text-small text-accent-ink underlined"
      >
        {auditText.drawer.actorChanges}
      </OrgLink>
    </>
  );
}

function Subject({ id }: { readonly id: string }) {
  return (
    <>
      <code className="font-mono text-code break-all">{id}</code>{' '}
      <OrgLink
        to="/management/audit"
        search={{ subject: id, range: LONGEST_AUDIT_RANGE }}
        className="text-small text-accent-ink underlined"
      >
        {auditText.drawer.subjectChanges}
      </OrgLink>
    </>
  );
}
