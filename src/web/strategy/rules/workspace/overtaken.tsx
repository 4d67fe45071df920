import { Button } from '../../../ui/button.tsx';
import { dropDraft, rebaseDraft } from '../drafts/drafts-store.ts';
import type { RuleStrategy } from '../use-rules.ts';
import type { OpenRules } from './use-rules-draft.ts';

/** Somebody has saved another version since the draft began: nothing is lost, and the person says which of both continues. */
export function Overtaken({ rules, strategy }: { rules: OpenRules; strategy: RuleStrategy }) {
  const { key, basedOn } = rules;
  const { version, document } = strategy;
  return (
    <div className="rules-overtaken" role="alert">
      <p>
        <b>Version {version} was saved meanwhile.</b> Your draft began with version {basedOn}, and nothing of it is lost. Kept, it is
        compared with version {version} from now on, and saved as version {version + 1}.
      </p>
      <Button size="small" variant="secondary" onClick={() => dropDraft(key)}>
        Discard my draft
      </Button>
      <Button
        size="small"
        disabled={document === null}
        onClick={() => {
          if (document !== null) rebaseDraft(key, { key, document, version });
        }}
      >
        Keep my draft
      </Button>
    </div>
  );
}
