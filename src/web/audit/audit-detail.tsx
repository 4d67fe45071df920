import { changedField } from './action-text.ts';
import { detailFields } from './detail-fields.ts';
import type { AuditRecord } from './record-text.ts';
import { fingerprintText, nothing, targetText, whoText } from './record-text.ts';

/** All that a record says. */
export function AuditDetail({ record }: { record: AuditRecord }) {
  const { changes, others } = detailFields(record.detail, changedField(record.action));
  const facts: readonly [string, string][] = [
    ['Number', record.id],
    ['Action', record.action],
    ['Who', whoText(record)],
    ['Role at the time', record.actor_role ?? nothing],
    ['Target', targetText(record)],
    ...(record.target_name === null || record.target === null ? [] : [['Target id', record.target] as [string, string]]),
    ['From', record.address ?? nothing],
    ['Request', record.request_id ?? nothing],
    ['Fingerprint', fingerprintText(record.fingerprint)],
  ];
  return (
    <div className="audit-detail">
      <section aria-label={`Details of record ${record.id}`}>
        {changes.length === 0 ? null : (
          <>
            <h2>What changed</h2>
            <table className="audit-changes">
              <thead>
                <tr>
                  <th scope="col">Field</th>
                  <th scope="col">Before</th>
                  <th scope="col">After</th>
                </tr>
              </thead>
              <tbody>
                {changes.map(({ field, before, after }) => (
                  <tr key={field}>
                    <th scope="row">{field}</th>
                    <td className="audit-dim">{before ?? nothing}</td>
                    <td>{after ?? nothing}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          </>
        )}
        {others.length === 0 ? null : (
          <>
            <h2>Details</h2>
            <Facts facts={others.map(({ field, value }) => [field, value])} />
          </>
        )}
        {changes.length === 0 && others.length === 0 ? <p className="audit-dim">Nothing more was recorded.</p> : null}
      </section>
      <section aria-label={`Record ${record.id}`}>
        <h2>Record</h2>
        <Facts facts={facts} />
      </section>
    </div>
  );
}

function Facts({ facts }: { facts: readonly (readonly [string, string])[] }) {
  return (
    <dl className="audit-facts fl-number">
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
