import type { RulesDocument } from '#engine/rules/document.ts';
import { wordsOf } from '#engine/rules/words.ts';
import { IconClipboardText, IconFileCode, IconListCheck, IconLock, IconPlus } from '@tabler/icons-react';
import { Button } from '../../../ui/button.tsx';
import { CardPanel } from '../../../ui/card-panel.tsx';
import type { MarketOffer } from '../replay/use-market.ts';
import { ReplayBand } from '../result/replay-panel.tsx';
import type { RuleStrategy } from '../use-rules.ts';
import { emptyRules } from './empty-rules.ts';
import { TemplatesPanel } from './templates-panel.tsx';
import { TableScroll } from '../table-scroll.tsx';

/** See `RulesStart`. */
export interface RulesStartProps {
  shared: readonly RuleStrategy[];
  hasOwn: boolean;
  offer: MarketOffer;
  onBegin: (document: RulesDocument) => void;
  onPaste: () => void;
  onBack: () => void; // to the rules that are there
}

/** Where rules begin: with nothing, as text, from a template, or as a copy of what somebody shares. */
export function RulesStart({ shared, hasOwn, offer, onBegin, onPaste, onBack }: RulesStartProps) {
  return (
    <div className="rules-stack">
      <section className="fl-panel rules-welcome" aria-label="Begin">
        <div>
          <h1>{hasOwn ? 'New rules' : 'No rules of your own yet'}</h1>
          <p className="rules-dim">
            Say when to buy and when to sell, as sentences made of indicators and numbers. You see at once, on stored candles, what it would
            have done. No code, and nothing trades until you give it to a bot.
          </p>
          <div className="rules-welcome-ways">
            <Button icon={<IconPlus size={14} aria-hidden />} onClick={() => onBegin(emptyRules)}>
              Start with an empty rule
            </Button>
            <Button variant="secondary" icon={<IconClipboardText size={14} aria-hidden />} onClick={onPaste}>
              Paste as text
            </Button>
            <span className="rules-dim">or start from a template below</span>
            {hasOwn ? (
              <Button variant="ghost" onClick={onBack}>
                Back to my rules
              </Button>
            ) : null}
          </div>
        </div>
        <dl className="rules-welcome-facts">
          <div>
            <dt>
              <IconListCheck size={15} aria-hidden /> Rules
            </dt>
            <dd>you, here: conditions, guard, position plan</dd>
          </div>
          <div>
            <dt>
              <IconLock size={15} aria-hidden /> Yours alone
            </dt>
            <dd>others see a rule only after you share it; taking it makes a copy</dd>
          </div>
          <div>
            <dt>
              <IconFileCode size={15} aria-hidden /> Files
            </dt>
            <dd>TypeScript, from whoever has the server's disk</dd>
          </div>
        </dl>
      </section>
      <ReplayBand draft={null} />
      <TemplatesPanel offer={offer} mayMake onStart={onBegin} />
      {shared.length === 0 ? null : <SharedTable shared={shared} onCopy={onBegin} />}
    </div>
  );
}

function SharedTable({ shared, onCopy }: { shared: readonly RuleStrategy[]; onCopy: (document: RulesDocument) => void }) {
  return (
    <CardPanel title="Shared with Everybody" aside="read only; taking one makes a copy of your own" flush>
      <TableScroll label="Shared with everybody">
        <table className="rules-table" aria-label="Shared with everybody">
          <thead>
            <tr>
              <th>Rule</th>
              <th>By</th>
              <th>In words</th>
              <th className="fl-numeric">Version</th>
              <th className="fl-numeric">Used by</th>
              <th>
                <span className="fl-visually-hidden">Copy</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {shared.map(({ id, name, owner, document, version, bots }) => (
              <tr key={id}>
                <td className="rules-strong">{name}</td>
                <td className="rules-dim">{owner?.email ?? 'nobody'}</td>
                <td className="rules-dim rules-cut">
                  {document === null ? 'cannot be read by this version' : wordsOf(document).join(' ')}
                </td>
                <td className="fl-numeric">{version}</td>
                <td className="fl-numeric">{bots.length === 0 ? 'none' : `${bots.length} ${bots.length === 1 ? 'bot' : 'bots'}`}</td>
                <td>
                  {document === null ? null : (
                    <Button size="small" variant="secondary" aria-label={`Make a copy of ${name}`} onClick={() => onCopy(document)}>
                      Make a copy
                    </Button>
                  )}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </TableScroll>
    </CardPanel>
  );
}
