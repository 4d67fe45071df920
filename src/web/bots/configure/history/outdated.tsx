import { Button } from '../../../ui/button.tsx';
import { formatMoment } from '../../../ui/moment.ts';
import type { BotConfig } from '../../use-bot-details.ts';
import { changesText, useVersions } from './versions.ts';

/** Says who has changed the bot meanwhile and what, and offers to load it; what was typed stays until then. */
export function Outdated({ stored, onLoad }: { stored: BotConfig; onLoad: () => void }) {
  const newer = (useVersions(stored.id).data ?? []).filter(({ version }) => version > stored.version);
  return (
    <div className="bot-outdated">
      {newer.length === 0 ? null : (
        <ul>
          {newer.map((version) => (
            <li key={version.version}>
              {formatMoment(version.changed_at)} UTC, {version.changed_by ?? 'somebody'}: {changesText(version)}
            </li>
          ))}
        </ul>
      )}
      <p>What you typed is kept. Loading the newest values drops it.</p>
      <Button variant="secondary" onClick={onLoad}>
        Load Newest Values
      </Button>
    </div>
  );
}
