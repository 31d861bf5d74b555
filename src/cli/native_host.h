/* native_host.h - how browsers and `stele native-messaging-host` speak: JSON in frames, whose length is in the machine's order. */
#ifndef CLI_NATIVE_HOST_H
#define CLI_NATIVE_HOST_H

#include "../ingest/frame.h"

#define NATIVE_FORM ((st_frame_form){.max = (size_t)1 << 20, .native = true}) /* a browser sends no more at once */

#endif
