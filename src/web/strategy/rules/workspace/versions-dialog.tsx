import type { RulesDocument } from '#engine/rules/document.ts';
import { useState } from 'react';
import { messageOf } from '../../../api/api-error.ts';
import { Button } from '../../../ui/button.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { FailedLoad } from '../../../ui/failed-load.tsx';
import { formatMoment } from '../../../ui/moment.ts';
import { LoadingRows } from '../../../ui/skeleton.tsx';
import type { RuleStrategy } from '../use-rules.ts';
import { useRuleVersions } from '../use-rules.ts';
import { Changes } from './using-bots.tsx';

/** See `VersionsDialog`. */
export interface VersionsDialogProps {
  strategy: RuleStrategy;
  opened: boolean;
  readOnly: boolean;
  onRestore: (document: RulesDocument, version: number) => void;
  onClose: () => void;
}

/** The versions of rules, newest first: who saved each, what it changed, and the way to continue from it. */
export function VersionsDialog({ strategy, opened, readOnly, onRestore, onClose }: VersionsDialogProps) {
  return (
    <Dialog opened={opened} onClose={onClose} title={`Versions of ${strategy.name}`} size={680} classNames={{ content: 'fl-dialog' }}>
      {opened ? <Versions strategy={strategy} readOnly={readOnly} onRestore={onRestore} /> : null}
    </Dialog>
  );
}

function Versions({ strategy, readOnly, onRestore }: Pick<VersionsDialogProps, 'strategy' | 'readOnly' | 'onRestore'>) {
  const query = useRuleVersions(strategy.id, true);
  const [shown, setShown] = useState<number | null>(null);
  if (query.data === undefined)
    return query.isError ? (
      <FailedLoad
        text="The versions could not be loaded."
        detail={messageOf(query.error)}
        isLoading={query.isFetching}
        onRetry={() => void query.refetch()}
      />
    ) : (
      <LoadingRows label="Loading versions" rows={3} height={32} />
    );
  return (
    <ul className="rules-versions" aria-label="Versions">
      {query.data.map(({ version, made_at: madeAt, made_by: madeBy, document }, i) => {
        const earlier = query.data[i + 1]?.document ?? null;
        return (
          <li key={version}>
            <div className="rules-bot">
              <b>Version {version}</b>
              <span className="fl-number rules-dim">
                {formatMoment(madeAt)} UTC{madeBy === null ? '' : `, ${madeBy}`}
              </span>
              {earlier !== null && document !== null ? (
                <Button
                  size="small"
                  variant="ghost"
                  aria-expanded={shown === version}
                  onClick={() => setShown(shown === version ? null : version)}
                >
                  What it changed
                </Button>
              ) : null}
              {document === null ? <span className="rules-dim">written by another version of the program</span> : null}
              {readOnly || document === null || version === strategy.version ? null : (
                <Button
                  size="small"
                  variant="secondary"
                  aria-label={`Restore version ${version} as a draft`}
                  onClick={() => onRestore(document, version)}
                >
                  Restore as a draft
                </Button>
              )}
            </div>
            {shown === version && earlier !== null && document !== null ? <Changes before={earlier} after={document} /> : null}
          </li>
        );
      })}
    </ul>
  );
}
