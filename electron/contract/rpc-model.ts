import { eventIterator, oc } from '@orpc/contract'
import { z } from 'zod'
import { ModelAnswer, ModelInput, ModelStatus, ModelTestStep } from './model.ts'
import { ToolName } from './tool.ts'

/** Letting go of a stream aborts the request to the model. */
export const modelRows = {
  model: {
    status: oc.output(ModelStatus),
    /** Rejects model-bad-address, model-not-encrypted, model-name-missing. */
    put: oc.input(ModelInput).output(ModelStatus),
    /** Two small requests to the stored address, whether it is enabled or not. */
    test: oc.output(eventIterator(ModelTestStep)),
    /** Five phrasings made from the descriptor, or the ones given; nothing is called. Rejects model-off. */
    ask: oc
      .input(
        z.object({
          name: ToolName,
          draftId: z.string().optional(),
          deviceId: z.string().optional(),
          phrases: z.array(z.string().min(1).max(200)).max(20),
        }),
      )
      .output(eventIterator(ModelAnswer)),
  },
}
