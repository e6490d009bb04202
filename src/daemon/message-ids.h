/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* MESSAGE_ID= of each kind of journal entry. systemd/placerd.catalog explains each; a number, once released, keeps its
 * meaning for good. */

#define MESSAGE_ID_VERDICT "fcfa7dd3a4894402925c822a94031a4a"        /* a confirmed verdict changed */
#define MESSAGE_ID_CHANGE "693f27ddfa3b451296ed33fd43ed3729"         /* a change was made */
#define MESSAGE_ID_OUTCOME "35838de543ac480eb20c8ca44db7f716"        /* a trial has ended */
#define MESSAGE_ID_UNDO "b398401a789f4a50b967dfc24eac6e91"           /* a change was undone, or let go */
#define MESSAGE_ID_CONFIG_REFUSED "398509268f5f4aa9ba66e034a56fb5a7" /* a reload found a bad configuration */
#define MESSAGE_ID_BUDGET "f36c735aab2f4325a37dab83b5a4b4a6"         /* the interval was stretched, or is back */
#define MESSAGE_ID_OBSERVE_ONLY "62a126af9d5b4761ad4f74e5c5b493f8"   /* nothing can be changed here */
#define MESSAGE_ID_PAUSED "3fcb57f3282a406d9b95bdd6f726e5c1"         /* somebody has paused placerd */
#define MESSAGE_ID_RESUMED "f733552495fd4e058ccda414376c2103"        /* and has let it go on */
