# A switch BRUSHFIRE_WITH_<WHAT> = AUTO | ON | OFF for a part of the build that needs something from outside. Sets `result` to
# one of the three, however the user spells it.
macro(read_switch what help result)
  set(BRUSHFIRE_WITH_${what} AUTO CACHE STRING "${help}: AUTO, ON or OFF")
  set_property(CACHE BRUSHFIRE_WITH_${what} PROPERTY STRINGS AUTO ON OFF)
  string(TOUPPER "${BRUSHFIRE_WITH_${what}}" ${result})
  if(${result} MATCHES "^(ON|TRUE|YES|Y|1)$")
    set(${result} ON)
  elseif(${result} MATCHES "^(OFF|FALSE|NO|N|0)$")
    set(${result} OFF)
  elseif(NOT ${result} STREQUAL "AUTO")
    message(FATAL_ERROR "BRUSHFIRE_WITH_${what} is '${BRUSHFIRE_WITH_${what}}', and can be AUTO, ON or OFF")
  endif()
endmacro()
